import type { Change, Lead, Me, Progress } from "#desk/api.ts";
import type { draftOf } from "#desk/session/storage.ts";

export interface PanelProps {
  lead: Lead;
  progress: Progress;
  me: Me;
  /** Whether a change is being saved. */
  busy: boolean;
  /** Keeps the panel's note between pages until it is saved or cancelled. */
  draft: ReturnType<typeof draftOf>;
  onSave: (change: Change) => void;
  onCancel: () => void;
}
