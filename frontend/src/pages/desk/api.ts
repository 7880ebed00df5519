/** What the desk answers, see `services/desk`. Times are ISO 8601 in UTC. */
export type State = "new" | "contacted" | "visiting" | "closed" | "not_a_lead";
export const closingReasons = [
  "bought",
  "bought_elsewhere",
  "not_interested",
  "unreachable",
  "other",
] as const;
export type ClosingReason = (typeof closingReasons)[number];
export type Interest = "showflat" | "brochure" | "purchase";

export interface Me {
  name: string;
  people: string[];
}

export interface Progress {
  state: State;
  /** Empty: nobody's. */
  owner: string;
  next_step_at: string | null;
  closing_reason: ClosingReason | null;
  do_not_contact: boolean;
}

interface Named {
  id: string;
  reference: string;
  submitted_at: string;
  interests: Interest[];
}

export interface Row extends Named {
  name: string;
  automatic: boolean;
  progress: Progress;
}

export interface Entry {
  at: string;
  event:
    | "submitted"
    | "acknowledged"
    | "brochure"
    | "repeated"
    | "progressed"
    | "noted"
    | "contact_changed";
  by: string;
  state: State | null;
  owner: string | null;
  next_step_at: string | null;
  closing_reason: ClosingReason | null;
  do_not_contact: boolean | null;
  text: string;
}

export interface Lead extends Named {
  name: string;
  mobile: string;
  telephone: string | null;
  email: string;
  language: "en" | "zh";
  questions: string;
  automatic: boolean;
  same_number: string[];
  /** `null`: nobody is signed in, and the lead is as the mail had it. */
  progress: Progress | null;
  related: (Named & { state: State })[];
  timeline: Entry[];
}

export interface Opened {
  me: Me | null;
  /** Whose mail the link was in. */
  invited: string;
  lead: Lead;
}

export interface Page {
  leads: Row[];
  next: string | null;
}

export interface Change {
  state?: State;
  owner?: string;
  next_step_at?: string;
  closing_reason?: ClosingReason;
  note?: string;
  do_not_contact?: boolean;
}

/** Why nothing came of a call: the server's code, or that it was not reached. */
export class DeskError extends Error {
  readonly code: string;
  readonly retryAfterSeconds: number;

  constructor(code: string, retryAfterSeconds = 0) {
    super(code);
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export type DeskApi = ReturnType<typeof createDeskApi>;

const TIMEOUT_MS = 10_000;

export function createDeskApi(send: typeof fetch) {
  async function call<Answer>(path: string, body?: unknown): Promise<Answer> {
    const post = {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    };
    const response = await send(`/desk/api/${path}`, {
      ...(body === undefined ? {} : post),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch(() => {
      throw new DeskError("unreachable");
    });
    const answer = response.status === 204 ? null : await response.json().catch(() => null);
    if (response.ok) {
      return answer;
    }
    const wait = Number(response.headers.get("Retry-After") ?? 0);
    throw new DeskError(answer?.error?.code ?? "unavailable", wait);
  }

  return {
    open: (key: string) => call<Opened>("key", { key }),
    /** Mails a link that signs in, to the key's person or to a colleague. */
    mailLink: (key: string, email?: string) =>
      call<null>("link", email === undefined ? { key } : { key, email }),
    me: () => call<Me>("me"),
    signOut: () => call<null>("sign-out", {}),
    leads: (which: Record<string, string>) =>
      call<Page>(`leads?${new URLSearchParams(which).toString()}`),
    lead: (id: string) => call<Lead>(`leads/${id}`),
    change: (id: string, change: Change) => call<Lead>(`leads/${id}`, change),
  };
}
