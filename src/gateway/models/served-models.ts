// The models of a server by their names.

import type { ServerConfig } from '../../config/schema.ts';
import { ApiError } from '../http/api-error.ts';
import type { ServedModel } from './served-model.ts';

export type ServedModels = ReadonlyMap<string, ServedModel>;

export function servedBy(models: ServedModels, name: string): ServedModel {
  const model = models.get(name);
  if (model === undefined) throw new ApiError('model_not_found', `there is no model '${name}'`, { param: 'model' });
  return model;
}

/** What says which models there are, and whether one answers under any name. */
interface Serving {
  readonly searches: { readonly models: ServedModels };
  readonly config: { readonly server: Pick<ServerConfig, 'foreignNames'> };
}

/** The model that a request names; where the operator allows it, the first under any other name. */
export function modelNamed({ searches: { models }, config }: Serving, name: unknown): ServedModel | undefined {
  const known = models.get(String(name));
  if (known !== undefined || config.server.foreignNames === 'refuse') return known;
  return typeof name === 'string' && name !== '' ? models.values().next().value : undefined;
}

/** The same, refused where there is none. */
export function servedModel(serving: Serving, name: string): ServedModel {
  const model = modelNamed(serving, name);
  if (model?.isReloading)
    throw new ApiError('unavailable', `model '${model.name}' is taking new weights`, { retryAfterSeconds: 1 });
  if (model !== undefined) return model;
  const known = [...serving.searches.models.keys()].join(', ');
  throw new ApiError('model_not_found', `there is no model '${name.slice(0, 128)}'; there are ${known}`, {
    param: 'model',
  });
}
