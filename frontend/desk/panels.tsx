import { type FormEvent, type ReactNode, useState } from "react";
import { type ClosingReason, closingReasons, type Me } from "./api.ts";
import { useDesk } from "./context.ts";
import { Button } from "./elements.tsx";
import { drafts } from "./storage.ts";
import { clockIn, inHours, instantIn, tomorrowAtTen, zoneName } from "./time.ts";

interface PanelProps {
  busy: boolean;
  onCancel: () => void;
}

interface FormProps extends PanelProps {
  legend: string;
  onSave: () => void;
  children?: ReactNode;
}

/** A question with its fields. Without fields it asks whether something is meant. */
export function Form({ legend, busy, onCancel, onSave, children }: FormProps) {
  const { texts } = useDesk();
  return (
    <form
      className="desk-panel"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        if (!busy) {
          onSave();
        }
      }}
    >
      <fieldset>
        <legend className="field-legend">{legend}</legend>
        {children}
      </fieldset>
      <p className="desk-buttons">
        <Button type="submit" busy={busy}>
          {texts.save}
        </Button>
        <Button plain disabled={busy} onClick={onCancel}>
          {texts.cancel}
        </Button>
      </p>
    </form>
  );
}

interface WhenProps extends PanelProps {
  legend: string;
  /** Whose clock the field means. */
  zone: string;
  /** Offers times that are near. */
  soon?: boolean;
  onSave: (at: string) => void;
}

export function When({ zone, soon = false, onSave, ...form }: WhenProps) {
  const { language, texts } = useDesk();
  const [clock, setClock] = useState("");
  return (
    <Form {...form} onSave={() => onSave(instantIn(zone, clock))}>
      {soon && (
        <p className="desk-buttons">
          <Button plain busy={form.busy} onClick={() => onSave(inHours(2))}>
            {texts.inTwoHours}
          </Button>
          <Button plain busy={form.busy} onClick={() => onSave(tomorrowAtTen(zone))}>
            {texts.tomorrow}
          </Button>
        </p>
      )}
      <label className="field-label" htmlFor="desk-when">
        {texts.when}
      </label>
      <input
        id="desk-when"
        className="field-input"
        type="datetime-local"
        required
        min={clockIn(zone, new Date())}
        aria-describedby="desk-zone"
        value={clock}
        onChange={(event) => setClock(event.target.value)}
      />
      <p id="desk-zone" className="desk-quiet">
        {texts.zone(zoneName(zone, language))}
      </p>
    </Form>
  );
}

/** A note that outlives the page until it is saved or cancelled. */
function useDraft(lead: string, panel: string): [string, (text: string) => void] {
  const [text, setText] = useState(() => drafts.read(lead, panel));
  return [
    text,
    (next) => {
      setText(next);
      drafts.keep(lead, panel, next);
    },
  ];
}

interface NoteFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  required?: boolean;
}

function NoteField({ label, onChange, ...rest }: NoteFieldProps) {
  return (
    <>
      <label className="field-label" htmlFor="desk-note">
        {label}
      </label>
      <textarea
        id="desk-note"
        className="field-input"
        rows={3}
        maxLength={2000}
        dir="auto"
        onChange={(event) => onChange(event.target.value)}
        {...rest}
      />
    </>
  );
}

interface NoteProps extends PanelProps {
  lead: string;
  onSave: (note: string) => void;
}

export function Note({ lead, onSave, ...form }: NoteProps) {
  const { texts } = useDesk();
  const [note, setNote] = useDraft(lead, "note");
  return (
    <Form {...form} legend={texts.note} onSave={() => onSave(note)}>
      <NoteField label={texts.noteText} value={note} onChange={setNote} required />
    </Form>
  );
}

interface GiveProps extends PanelProps {
  me: Me;
  owner: string;
  onSave: (owner: string) => void;
}

export function Give({ me, owner, onSave, ...form }: GiveProps) {
  const { texts } = useDesk();
  // The owner may have left the team.
  const [to, setTo] = useState(me.people.includes(owner) ? owner : "");
  return (
    <Form {...form} legend={texts.give} onSave={() => onSave(to)}>
      <label className="field-label" htmlFor="desk-owner">
        {texts.colleague}
      </label>
      <select
        id="desk-owner"
        className="field-input"
        value={to}
        onChange={(event) => setTo(event.target.value)}
      >
        <option value="">{texts.nobody}</option>
        {me.people.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      {to !== "" && to !== me.name && <p className="desk-quiet">{texts.givenMail}</p>}
    </Form>
  );
}

interface CloseProps extends PanelProps {
  lead: string;
  onSave: (reason: ClosingReason, note: string) => void;
}

export function Close({ lead, onSave, ...form }: CloseProps) {
  const { texts } = useDesk();
  const [reason, setReason] = useState<ClosingReason | null>(null);
  const [note, setNote] = useDraft(lead, "close");
  return (
    <Form {...form} legend={texts.why} onSave={() => reason !== null && onSave(reason, note)}>
      {closingReasons.map((each) => (
        <label key={each} className="desk-choice">
          <input
            type="radio"
            name="reason"
            required
            checked={reason === each}
            onChange={() => setReason(each)}
          />
          {texts.reasons[each]}
        </label>
      ))}
      <NoteField label={texts.optionalNote} value={note} onChange={setNote} />
    </Form>
  );
}
