// Registers the programs and rules of this package: imported for its effect by what composes the product.

import { registerCertainty } from '../exit/exits.ts';
import { registerPrunes } from '../exit/prune/prunes.ts';
import { registerPrograms } from '../program/registry/programs.ts';
import { papers } from './index.ts';

registerPrograms(papers.programs);
registerCertainty(papers.certainty);
registerPrunes(papers.prunes);
