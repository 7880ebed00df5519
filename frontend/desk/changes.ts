import type { Change, ClosingReason, Progress } from "./api.ts";
import type { Texts } from "./texts.ts";

/** What a person does with a lead, as the server is told. */
export function changesOf({ state, changed_at: seen }: Progress, texts: Texts) {
  return {
    /** A second call is a note: it cancels no visit. */
    called: (): Change => {
      switch (state) {
        case "visit_booked":
          return { note: texts.called };
        case "contacted":
          return { state, note: texts.called, seen };
        default:
          return { state: "contacted", seen };
      }
    },
    /** @param again when to try again; without it, what was planned stays */
    noAnswer: (again?: string): Change =>
      again === undefined
        ? { note: texts.noAnswer }
        : { state, next_step_at: again, note: texts.noAnswer, seen },
    visit: (at: string): Change => ({ state: "visit_booked", next_step_at: at, seen }),
    note: (note: string): Change => ({ note }),
    giveTo: (owner: string): Change => ({ owner, seen }),
    close: (closing_reason: ClosingReason, note: string): Change => ({
      state: "closed",
      closing_reason,
      ...(note === "" ? {} : { note }),
      seen,
    }),
    markInvalid: (): Change => ({ state: "invalid", seen }),
    reopen: (): Change => ({ state: "contacted", seen }),
    mayContact: (may: boolean): Change => ({ do_not_contact: !may }),
  };
}
