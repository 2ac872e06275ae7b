// `/v1/models` and `/v1/examples`: models and example questions of the configuration.

import { usualSearch } from '@coppice/core/answering';
import { FaultError } from '@coppice/core/base';
import { policyNames } from '@coppice/core/policy';
import { programs } from '@coppice/core/program';
import { z } from 'zod';
import { ApiError } from '../http/api-error.ts';
import { parseBody } from '../http/checked-input.ts';
import { type Exchange, readJson, writeJson } from '../http/exchange.ts';
import { type ServedModel, servedBy } from '../models/served-model.ts';
import type { ModelJson } from '../wire/server-json.ts';
import type { GatewayContext } from './context.ts';

export function listModels({ searches }: GatewayContext, { response }: Exchange): void {
  writeJson(response, 200, { object: 'list', data: [...searches.models.values()].map(viewModel) });
}

export function readModel(context: GatewayContext, exchange: Exchange): void {
  writeJson(exchange.response, 200, viewModel(modelAt(context, exchange)));
}

function modelAt({ searches }: GatewayContext, { parameters }: Exchange): ServedModel {
  return servedBy(searches.models, decode(parameters.name ?? ''));
}

export const weightsSchema = z.strictObject({
  version: z.string().min(1).max(128).meta({ description: 'what later searches call the weights, such as step-120' }),
});

/** For operators between two rounds of training. Refused while a search runs or waits on the model: a search has one set of weights. */
export async function changeWeights(context: GatewayContext, exchange: Exchange): Promise<void> {
  const { caller, request, response } = exchange;
  if (!caller.admin) throw new ApiError('not_found', 'only an admin key may change weights');
  const model = modelAt(context, exchange);
  const { version } = parseBody(weightsSchema, await readJson(context, request));
  const running = [...context.searches.live].filter(({ facts }) => facts.plan.model === model.name).length;
  if (running > 0 || model.isReloading) {
    const what = model.isReloading ? 'its weights are changing now' : `${running} searches run or wait on it`;
    throw new ApiError('conflict', `the weights of '${model.name}' stay as they are: ${what}`);
  }
  try {
    await model.reload(version);
  } catch (error) {
    if (!(error instanceof FaultError)) throw error;
    throw new ApiError('conflict', `the weights of '${model.name}' stay as they are: ${error.fault.message}`);
  }
  writeJson(response, 200, viewModel(model));
}

export function listExamples({ config }: GatewayContext, { response }: Exchange): void {
  const data = config.models.flatMap(({ name, examples }) => examples.map((question) => ({ question, model: name })));
  writeJson(response, 200, { object: 'list', data });
}

function viewModel(model: ServedModel): ModelJson {
  const { name, config } = model;
  const { engine, verifier } = config;
  const { program, policy, scoring } = usualSearch(model);
  return {
    id: name,
    object: 'model',
    created: 0,
    owned_by: 'coppice',
    coppice: {
      engine: engine.kind,
      verifier: verifier.kind,
      program,
      policy,
      scoring,
      programs: programs()
        .filter(({ needsVerifier }) => !needsVerifier || verifier.kind !== 'none')
        .map(({ name }) => name),
      policies: policyNames(),
      ...(model.weights === undefined ? {} : { weights: model.weights }),
      ...(model.judgement === undefined ? {} : { judge: model.judgement }),
    },
  };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
