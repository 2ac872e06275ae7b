// What a session leaves to its next search: the rest of its budgets, and a price that rises as they are spent.

import type { Session } from '../../runtime/search/request.ts';
import type { SearchPlan } from './search-plan.ts';

type Budgets = Pick<Session, 'tokens' | 'money' | 'tokenBudget' | 'moneyBudget'>;

const free: Budgets = { tokens: 0, money: 0 };
const any = Number.POSITIVE_INFINITY;

/** `share`: of the budget of which less is left. */
export function left({ tokens, money, tokenBudget = any, moneyBudget = any }: Budgets = free) {
  const share = Math.min(1 - tokens / tokenBudget, 1 - money / moneyBudget);
  return { tokens: tokenBudget - tokens, money: moneyBudget - money, share };
}

/** A turn pays as much more for a token as less is left: the last ones are short before the session ends. */
export function withinSession(session: Session | undefined, plan: SearchPlan): SearchPlan {
  if (session === undefined) return plan;
  const { tokens, money, share } = left(session);
  const { tokenBudget, moneyBudget = any, price } = plan;
  const ownMoney = Math.min(money, moneyBudget);
  return {
    ...plan,
    session,
    tokenBudget: Math.min(tokenBudget, tokens),
    moneyBudget: ownMoney === any ? undefined : ownMoney,
    price: price && price / share,
  };
}
