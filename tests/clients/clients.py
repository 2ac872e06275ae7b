"""What clients of other languages do with a coppice server, unchanged: one line of JSON for each, for the test to read."""

import json
import os
import sys
import time

base = sys.argv[1]
wanted = sys.argv[2]
question = [{"role": "user", "content": "make 24 from 4 7 8 8"}]


def say(**facts):
    print(json.dumps(facts), flush=True)


def openai_client():
    from openai import OpenAI
    from pydantic import BaseModel

    class Answer(BaseModel):
        answer: int

    client = OpenAI(base_url=f"{base}/v1", api_key="unused", max_retries=0)
    chat = client.chat.completions.create(model="m", messages=question)
    say(what="chat", content=chat.choices[0].message.content, tokens=chat.usage.completion_tokens)
    pieces = client.chat.completions.create(model="m", messages=question, stream=True)
    text = "".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices)
    say(what="stream", content=text)
    response = client.responses.create(model="m", input="make 24 from 4 7 8 8")
    say(what="response", content=response.output_text, status=response.status)
    with client.responses.stream(model="m", input="make 24 from 4 7 8 8") as stream:
        types = [event.type for event in stream]
        say(what="response stream", first=types[0], last=types[-1], content=stream.get_final_response().output_text)
    parsed = client.chat.completions.parse(model="m", messages=question, response_format=Answer)
    say(what="structured", answer=parsed.choices[0].message.parsed.answer)
    line = {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": {"model": "m", "messages": question}}
    file = client.files.create(file=("batch.jsonl", json.dumps(line).encode()), purpose="batch")
    batch = client.batches.create(input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h")
    while batch.status not in ("completed", "failed"):
        time.sleep(0.05)
        batch = client.batches.retrieve(batch.id)
    result = json.loads(client.files.content(batch.output_file_id).text)
    say(what="batch", content=result["response"]["body"]["choices"][0]["message"]["content"])


def anthropic_client():
    from anthropic import Anthropic

    client = Anthropic(base_url=base, auth_token="unused", max_retries=0)
    message = client.messages.create(model="m", max_tokens=200, messages=question)
    say(what="message", content=message.content[0].text, stop=message.stop_reason)
    with client.messages.stream(model="m", max_tokens=200, messages=question) as stream:
        say(what="stream", content="".join(stream.text_stream))
    counted = client.messages.count_tokens(model="m", messages=question)
    say(what="count", tokens=counted.input_tokens)


def langchain_client():
    from langchain_core.tools import tool
    from langchain_openai import ChatOpenAI
    from pydantic import BaseModel

    class Answer(BaseModel):
        """The answer."""

        answer: int

    @tool
    def add(a: int, b: int) -> int:
        """Adds."""
        return a + b

    model = ChatOpenAI(model="m", base_url=f"{base}/v1", api_key="unused", max_retries=0)
    say(what="chat", content=model.invoke("make 24 from 4 7 8 8").content)
    say(what="stream", content="".join(piece.content for piece in model.stream("make 24 from 4 7 8 8")))
    say(what="structured", answer=model.with_structured_output(Answer).invoke("make 24").answer)
    say(what="tools", calls=[call["name"] for call in model.bind_tools([add]).invoke("what is 2 and 2?").tool_calls])


def litellm_client():
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import litellm

    there = {"model": "openai/m", "api_base": f"{base}/v1", "api_key": "unused", "messages": question}
    say(what="chat", content=litellm.completion(**there).choices[0].message.content)
    pieces = litellm.completion(**there, stream=True)
    say(what="stream", content="".join(piece.choices[0].delta.content or "" for piece in pieces))


def its_hub_client():
    import asyncio

    from its_hub.core.lms.openai_lm import OpenAICompatibleLanguageModel

    async def ask():
        async with OpenAICompatibleLanguageModel(f"{base}/v1", "unused", "m", max_tries=1, temperature=0.7) as model:
            answers = await model.agenerate([question, question])
            say(what="answers", content=[answer["content"] for answer in answers])
            begun = [*question, {"role": "assistant", "content": "First,"}]
            [step] = await model.agenerate([begun], stop="\n\n")
            say(what="step", content=step["content"])

    asyncio.run(ask())


{"openai": openai_client, "anthropic": anthropic_client, "langchain": langchain_client, "litellm": litellm_client, "its_hub": its_hub_client}[wanted]()
