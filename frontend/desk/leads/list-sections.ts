import { byErasureRequest, byNextStep, type Interest, type Progress, type Row } from "#desk/api.ts";
import { isClosed } from "./lead-text.ts";

const urgentInterests: readonly Interest[] = ["purchase", "showflat"];

/**
 * Whether a visitor who wants to buy or to see the show flat has waited too long for the first contact.
 * @param minutes how long they may wait; 0: without limit
 */
export function isWaitingTooLong(row: Row, now: number, minutes: number): boolean {
  const { state, contacted_at } = row.progress;
  return (
    minutes > 0 &&
    state === "new" &&
    contacted_at === null &&
    !row.do_not_contact &&
    row.interests.some((interest) => urgentInterests.includes(interest)) &&
    now - Date.parse(row.submitted_at) >= minutes * 60_000
  );
}

/** The rows of a list by section. No row is in two sections. */
export interface Sections {
  toErase: Row[];
  due: Row[];
  untouched: Row[];
  mine: Row[];
  later: Row[];
  /** Only a list with a filter has finished leads. */
  finished: Row[];
}

interface Loaded {
  /** All leads whose visitor asked for erasure. */
  toErase: Row[];
  /** The loaded leads with a next step that is due. */
  due: Row[];
  /** The end of the due leads, if some of them are not loaded. */
  dueUntil: number | null;
  /** The loaded leads of the person, if the server listed them separately. */
  mine: Row[];
  /** The loaded pages of all leads. */
  rows: Row[];
}

/** @param person the name of the person who reads the list */
export function sectionsOf(loaded: Loaded, person: string): Sections {
  const { toErase, due, dueUntil, mine, rows } = loaded;
  const isToErase = idsOf(toErase);
  const dueLeads = due.filter(
    ({ id, progress }) => !isToErase.has(id) && !isClosed(progress.state),
  );
  const isAbove = idsOf([...toErase, ...dueLeads]);
  // They are shown with the due leads, when those are loaded.
  const isDueLater = ({ progress }: Row) =>
    dueUntil !== null && Date.parse(progress.next_step_at ?? "") < dueUntil;
  const rest = rows.filter((row) => !isAbove.has(row.id) && !isDueLater(row));
  const open = rest.filter(({ progress }) => !isClosed(progress.state));
  const others = open.filter(({ progress }) => progress.owner !== person);
  const own = [...mine, ...open.filter(({ progress }) => progress.owner === person)];
  return {
    toErase: [...toErase].sort(byErasureRequest),
    due: dueLeads.sort(byNextStep),
    untouched: others.filter(({ progress }) => isUntouched(progress)),
    mine: unique(own).filter((row) => !isAbove.has(row.id) && !isDueLater(row)),
    later: others.filter(({ progress }) => !isUntouched(progress)),
    finished: rest.filter(({ progress }) => isClosed(progress.state)),
  };
}

function isUntouched({ state, owner }: Progress): boolean {
  return state === "new" && owner === "";
}

function idsOf(rows: Row[]): Set<string> {
  return new Set(rows.map(({ id }) => id));
}

function unique(rows: Row[]): Row[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}
