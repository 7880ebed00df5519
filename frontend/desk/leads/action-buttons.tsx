import { type Change, channels, type Lead, type Me, type Progress } from "#desk/api.ts";
import { texts } from "#desk/language.ts";
import { isClosed } from "./lead-text.ts";
import type { PanelName } from "./panels/panels.ts";

interface ActionButtonsProps {
  lead: Lead;
  progress: Progress;
  me: Me;
  busy: boolean;
  /** @param button gets the focus when the panel closes */
  onOpen: (panel: PanelName, button: HTMLButtonElement) => void;
  onSave: (change: Change, button: HTMLButtonElement) => void;
}

/** The changes that are possible in the lead's state. Most open a panel, and some save immediately. */
export function ActionButtons({ lead, progress, me, busy, onOpen, onSave }: ActionButtonsProps) {
  const { state, owner, changed_at: seen } = progress;
  const needsDncCheck = lead.phone !== null && lead.channels.length < channels.length;

  const panelButton = (label: string, panel: PanelName, className = "desk-link") => (
    <ActionButton
      label={label}
      busy={busy}
      className={className}
      onPress={(button) => onOpen(panel, button)}
    />
  );
  const saveButton = (label: string, change: Change, className = "desk-link") => (
    <ActionButton
      label={label}
      busy={busy}
      className={className}
      onPress={(button) => onSave(change, button)}
    />
  );

  return (
    <>
      {isClosed(state) ? (
        <p className="desk-buttons">
          {saveButton(texts.reopen, { state: "contacted", seen }, "button button-small")}
        </p>
      ) : (
        <p className="desk-outcomes">
          {panelButton(texts.called, "talked", "button button-plain")}
          {panelButton(texts.noAnswer, "noAnswer", "button button-plain")}
          {panelButton(texts.visit, "visit", "button button-plain")}
        </p>
      )}
      <p className="desk-buttons">
        {panelButton(texts.note, "note")}
        {!isClosed(state) && (
          <>
            {owner === "" && saveButton(texts.take, { owner: me.name, seen })}
            {panelButton(owner === "" ? texts.assign : texts.give, "give")}
            {panelButton(texts.correct, "correct")}
            {needsDncCheck && panelButton(texts.dnc.record, "dnc")}
            {panelButton(texts.close, "close")}
            {panelButton(texts.markInvalid, "invalid")}
          </>
        )}
        {panelButton(lead.do_not_contact ? texts.allow : texts.forbid, "contact")}
      </p>
    </>
  );
}

interface ActionButtonProps {
  label: string;
  busy: boolean;
  className: string;
  onPress: (button: HTMLButtonElement) => void;
}

/** A button that keeps the focus while a change is being saved. */
function ActionButton({ label, busy, className, onPress }: ActionButtonProps) {
  return (
    <button
      type="button"
      className={className}
      aria-disabled={busy}
      onClick={(event) => !busy && onPress(event.currentTarget)}
    >
      {label}
    </button>
  );
}
