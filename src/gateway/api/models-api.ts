// `/v1/models` and `/v1/examples`: what this server offers, as its configuration says.

import { usualSearch } from '../../answering/plan.ts';
import { policyNames } from '../../policy/policies.ts';
import { programs } from '../../program/registry/programs.ts';
import { ApiError } from '../http/api-error.ts';
import { type Exchange, writeJson } from '../http/exchange.ts';
import type { ServedModel } from '../models/served-model.ts';
import type { ModelJson } from '../wire/server-json.ts';
import type { GatewayContext } from './context.ts';

export function listModels({ searches }: GatewayContext, { response }: Exchange): void {
  writeJson(response, 200, { object: 'list', data: [...searches.models.values()].map(viewModel) });
}

export function readModel({ searches }: GatewayContext, { parameters, response }: Exchange): void {
  const name = decode(parameters.name ?? '');
  const model = searches.models.get(name);
  if (model === undefined)
    throw new ApiError('model_not_found', `there is no model '${name.slice(0, 128)}'`, { param: 'model' });
  writeJson(response, 200, viewModel(model));
}

export function listExamples({ config }: GatewayContext, { response }: Exchange): void {
  const data = config.models.flatMap(({ name, examples }) => examples.map((each) => ({ ...each, model: name })));
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
      programs: programs
        .filter(({ needsVerifier }) => !needsVerifier || verifier.kind !== 'none')
        .map(({ name }) => name),
      policies: policyNames,
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
