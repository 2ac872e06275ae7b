// Words that a newcomer cannot guess, each in a sentence or two, for tooltips and the reference.

export const glossary = {
  strand:
    'One line of work in a tree: it walks down, asks the model for the next step, and hands it to the verifier. More strands make a tree grow faster, and share the engine with other searches.',
  futile:
    'A path whose score is below the threshold and can only fall: it cannot become an accepted answer any more. A search ends as futile when all of its paths are likely to be.',
  goodput:
    'Tokens of a finished path for each second from the start of the search to the end of that path, in the mean: speed that led to an answer, without what was thrown away.',
  Q: 'The mean score of all finished paths through a node. The search goes more often where Q is high.',
  'Q at least':
    'The lower end of a one-sided 95 % interval around Q. A hint only: paths through one node are not independent.',
  rollout: 'One walk of a strand from the root to the end of a path. How many a search may have is its main limit.',
  threshold: 'The score from which a finished path counts as an accepted answer.',
  p99: '99 of 100 searches took at most so long, from their arrival to their end; p50 is the same for half of them.',
  twins: 'Steps that the model wrote again below the same step. They are one node, and are computed once.',
  refused: 'Steps with a reward of 0.',
  speculative:
    'A step that was grown ahead of the program, while the engine had room. It joins the tree when the program asks for it.',
} as const;

export type GlossaryWord = keyof typeof glossary;
