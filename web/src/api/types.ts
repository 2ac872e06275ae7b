// The shapes that the server sends, as docs/http-api.md has them. Only what the page reads is listed; what may be
// missing because texts are not kept, or because a search has not got so far, is null.

export type SearchState = 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

export interface ExitView {
  readonly kind: string;
  readonly rule: string;
  readonly evidence: Readonly<Record<string, number | string>>;
}

export interface SearchSummary {
  readonly sequence: number;
  readonly nodes: number;
  readonly rollouts: number;
  readonly open_strands: number;
  readonly best_score: number | null;
  readonly tokens: number;
}

export interface SearchLimits {
  readonly rollouts: number;
  readonly threshold: number;
  readonly token_budget: number | null;
  readonly deadline_ms: number | null;
}

export interface SearchResultView {
  readonly content: string | null;
  readonly reasoning_content?: string | null;
  readonly answer: string | null;
  readonly score: number | null;
  readonly complete: boolean;
  readonly coppice?: { readonly scoring?: string; readonly tokens?: Readonly<Record<string, number>> } | null;
}

export interface SearchView {
  readonly id: string;
  readonly state: SearchState;
  readonly title: string | null;
  readonly model: string;
  readonly program: string | null;
  readonly policy: string | null;
  readonly created_ms: number;
  readonly started_ms: number | null;
  readonly ended_ms: number | null;
  readonly limits: SearchLimits | null;
  readonly summary: SearchSummary | null;
  readonly exit: ExitView | null;
  readonly result?: SearchResultView | null;
  readonly error: { readonly message: string } | null;
  readonly request?: { readonly messages?: readonly { readonly role: string; readonly content: unknown }[] } | null;
}

export interface ModelLoad {
  readonly name: string;
  readonly engine: string;
  readonly healthy: boolean;
  readonly budget: number;
  readonly open_strands: number;
  readonly step_ms: number | null;
}

export interface ListedSearch {
  readonly id: string;
  readonly title: string | null;
  readonly model: string;
  readonly state: SearchState;
  readonly primary: number;
  readonly speculative: number;
  readonly open_strands: number;
  readonly nodes: number;
  readonly rollouts: number;
  readonly rollout_limit: number;
  readonly best_score: number | null;
  readonly threshold: number;
  readonly age_ms: number;
}

export interface OverviewFrame {
  readonly at_ms: number;
  readonly uptime_ms: number;
  readonly version: string;
  readonly models: readonly ModelLoad[];
  readonly budget: { readonly total: number; readonly used: number };
  readonly queue: { readonly waiting: number; readonly limit: number };
  readonly searches: { readonly running: number; readonly listed: readonly ListedSearch[] };
  readonly exits: Readonly<Record<string, number>>;
  readonly tokens: Readonly<Record<string, number>>;
  readonly latency: { readonly p50_ms: number; readonly p99_ms: number; readonly count: number } | null;
  readonly refused: number;
  readonly event_loop_ms: number;
}

export interface Example {
  readonly title: string;
  readonly question: string;
  /** The model that can answer it, where there are several. */
  readonly model?: string;
}

export interface ModelView {
  readonly id: string;
}
