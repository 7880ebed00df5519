import { byErasureRequest, byNextStep, type Interest, type Progress, type Row } from "./api.ts";
import { isOver } from "./story.ts";

/** Minutes within which somebody contacts a visitor who wants to buy or to see the show flat. */
const FIRST_CONTACT_MINUTES = 15;

const urgentInterests: readonly Interest[] = ["purchase", "showflat"];

/** Whether the visitor has waited too long for the first contact. */
export function isWaitingTooLong(row: Row, now: number): boolean {
  const { state, contacted_at } = row.progress;
  return (
    state === "new" &&
    contacted_at === null &&
    !row.do_not_contact &&
    row.interests.some((interest) => urgentInterests.includes(interest)) &&
    now - Date.parse(row.submitted_at) >= FIRST_CONTACT_MINUTES * 60_000
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
  /** All leads with a next step that is due. */
  due: Row[];
  /** All leads of the person, if the server listed them separately. */
  mine: Row[];
  /** The loaded pages. */
  rows: Row[];
}

/** @param person the name of the person who reads the list */
export function sectionsOf({ toErase, due, mine, rows }: Loaded, person: string): Sections {
  const isToErase = idsOf(toErase);
  const dueLeads = due.filter(({ id, progress }) => !isToErase.has(id) && !isOver(progress.state));
  const isAbove = idsOf([...toErase, ...dueLeads]);
  const rest = rows.filter(({ id }) => !isAbove.has(id));
  const open = rest.filter(({ progress }) => !isOver(progress.state));
  const others = open.filter(({ progress }) => progress.owner !== person);
  const own = [...mine, ...open.filter(({ progress }) => progress.owner === person)];
  return {
    toErase: [...toErase].sort(byErasureRequest),
    due: dueLeads.sort(byNextStep),
    untouched: others.filter(({ progress }) => isUntouched(progress)),
    mine: unique(own).filter(({ id }) => !isAbove.has(id)),
    later: others.filter(({ progress }) => !isUntouched(progress)),
    finished: rest.filter(({ progress }) => isOver(progress.state)),
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
