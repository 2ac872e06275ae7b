// One line for each endpoint, in the groups under which documents and client generators list it.

export const tags = {
  answers: 'Answers by search, in the shapes of OpenAI and Anthropic',
  searches: "Searches as coppice's own objects: started, watched, resumed, cancelled",
  batches: 'Many requests on idle capacity, as files',
  models: 'The models that answer',
  operations: 'Health, metrics and use',
} as const;

export const summaries: Readonly<Record<keyof typeof tags, Readonly<Record<string, string>>>> = {
  answers: {
    'POST /v1/chat/completions': "Answer a conversation by search, in OpenAI's chat API",
    'POST /v1/messages': "Answer a conversation by search, in Anthropic's Messages API",
    'POST /v1/messages/count_tokens': 'Count the tokens of a conversation, or estimate them and say so',
    'POST /v1/responses': "Answer by search, in OpenAI's Responses API",
    'GET /v1/responses/{id}': 'Read a stored response, or resume its stream',
    'POST /v1/responses/{id}/cancel': 'End a response that runs in the background',
    'DELETE /v1/responses/{id}': 'End a response and take it out of the journal',
    'POST /v1/completions': "Pass on to the engine's own completions, without search",
    'POST /v1/embeddings': "Pass on to the engine's own embeddings",
  },
  searches: {
    'POST /v1/searches': 'Start a search, in the background or not',
    'GET /v1/searches': 'List live and recent searches, of one session or of all, newest first',
    'GET /v1/searches/{id}': 'Read one search with its request, result and summary',
    'DELETE /v1/searches/{id}': 'Stop a search, down to the engine',
    'POST /v1/searches/{id}/cancel': 'Stop a search, down to the engine',
    'GET /v1/searches/{id}/events': 'Follow the log of a search as server-sent events',
    'GET /v1/overview': 'Read what all searches do now',
    'GET /v1/overview/events': 'Follow the overview, once a second',
    'GET /v1/history': 'Read latency, throughput and exits of a range of time, from the journal',
  },
  batches: {
    'POST /v1/files': 'Upload the requests of a batch',
    'GET /v1/files': 'List files, newest first',
    'GET /v1/files/{id}': 'Read what is known of a file',
    'GET /v1/files/{id}/content': 'Read a file',
    'DELETE /v1/files/{id}': 'Delete a file',
    'POST /v1/batches': 'Run the requests of a file on idle capacity',
    'GET /v1/batches': 'List batches, newest first',
    'GET /v1/batches/{id}': 'Read how far a batch is',
    'POST /v1/batches/{id}/cancel': 'End a batch',
  },
  models: {
    'GET /v1/models': 'List the configured models',
    'GET /v1/models/{name}': 'Read one model',
    'POST /v1/models/{name}/weights': 'Announce that the weights of a model have changed',
    'GET /v1/examples': 'List questions that the default model can answer',
  },
  operations: {
    'GET /v1/usage': 'Read what the key has used, and its quota',
    'GET /metrics': 'Read the metrics, as Prometheus text',
    'GET /health': 'Check that the process lives',
    'GET /ready': 'Check that the server takes work',
    'GET /openapi.json': 'This document; no key is needed',
  },
};
