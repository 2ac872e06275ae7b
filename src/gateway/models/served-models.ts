// The models of a server by their names.

import { ApiError } from '../http/api-error.ts';
import type { ServedModel } from './served-model.ts';

export type ServedModels = ReadonlyMap<string, ServedModel>;

export function servedBy(models: ServedModels, name: string): ServedModel {
  const model = models.get(name);
  if (model === undefined) throw new ApiError('model_not_found', `there is no model '${name}'`, { param: 'model' });
  return model;
}
