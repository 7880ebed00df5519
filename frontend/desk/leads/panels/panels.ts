import type { ComponentType } from "react";
import { draftOf } from "#desk/session/storage.ts";
import { ClosePanel } from "./close-panel.tsx";
import { ContactPanel } from "./contact-panel.tsx";
import { CorrectPanel } from "./correct-panel.tsx";
import { DncPanel } from "./dnc-panel.tsx";
import { GivePanel } from "./give-panel.tsx";
import { InvalidPanel } from "./invalid-panel.tsx";
import { NoAnswerPanel } from "./no-answer-panel.tsx";
import { NotePanel } from "./note-panel.tsx";
import type { PanelProps } from "./panel-props.ts";
import { TalkedPanel } from "./talked-panel.tsx";
import { VisitPanel } from "./visit-panel.tsx";

/** The panels with a note, which is kept between pages. */
const panelsWithNote = {
  talked: TalkedPanel,
  noAnswer: NoAnswerPanel,
  visit: VisitPanel,
  note: NotePanel,
  close: ClosePanel,
  contact: ContactPanel,
};

const panelsWithoutNote = {
  correct: CorrectPanel,
  dnc: DncPanel,
  give: GivePanel,
  invalid: InvalidPanel,
};

export type PanelName = keyof typeof panelsWithNote | keyof typeof panelsWithoutNote;

export const panels: Record<PanelName, ComponentType<PanelProps>> = {
  ...panelsWithNote,
  ...panelsWithoutNote,
};

/** The panel in which a note about the lead was not saved. */
export function findUnsavedPanel(lead: string): PanelName | null {
  const names = Object.keys(panelsWithNote) as PanelName[];
  return names.find((name) => draftOf(lead, name).read()) ?? null;
}
