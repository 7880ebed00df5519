import { language, texts } from "#desk/language.ts";
import { NoteField, noteIn } from "#desk/leads/note-field.tsx";
import { inWords } from "#desk/time.ts";
import { Form } from "#desk/ui/form.tsx";
import type { PanelProps } from "./panel-props.ts";

/** Asks whether the visitor may be contacted, or must not be. After a withdrawal, a note says how they agreed again. */
export function ContactPanel({ lead, progress, me, busy, draft, onSave, onCancel }: PanelProps) {
  const { do_not_contact, withdrawn_at } = lead;
  if (withdrawn_at === null) {
    return (
      <Form
        legend={do_not_contact ? texts.reallyAllow : texts.reallyForbid}
        submitLabel={do_not_contact ? texts.allow : texts.stopContacting}
        busy={busy}
        onSave={() => onSave({ do_not_contact: !do_not_contact, seen: progress.changed_at })}
        onCancel={onCancel}
      />
    );
  }
  return (
    <Form
      legend={texts.reallyAllowWithdrawn(inWords(withdrawn_at, language, me.time_zone))}
      submitLabel={texts.allow}
      busy={busy}
      onSave={(values) =>
        onSave({ do_not_contact: false, ...noteIn(values), seen_withdrawn_at: withdrawn_at })
      }
      onCancel={onCancel}
    >
      <NoteField label={texts.agreedAgain} draft={draft} required />
    </Form>
  );
}
