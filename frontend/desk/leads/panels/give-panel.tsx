import { texts } from "#desk/language.ts";
import { Button } from "#desk/ui/button.tsx";
import { Form } from "#desk/ui/form.tsx";
import type { PanelProps } from "./panel-props.ts";

/** Assigns the lead to another person, or to nobody. */
export function GivePanel({ progress, me, busy, onSave, onCancel }: PanelProps) {
  const { owner, changed_at: seen } = progress;
  return (
    <Form legend={owner === "" ? texts.assign : texts.give} busy={busy} onCancel={onCancel}>
      <p className="desk-quiet">{texts.givenMail}</p>
      <p className="desk-buttons">
        {me.people
          .filter((name) => name !== owner)
          .map((name) => (
            <Button key={name} plain busy={busy} onClick={() => onSave({ owner: name, seen })}>
              {name === me.name ? texts.take : name}
            </Button>
          ))}
        {owner !== "" && (
          <button
            type="button"
            className="desk-link"
            aria-disabled={busy}
            onClick={() => !busy && onSave({ owner: "", seen })}
          >
            {texts.release}
          </button>
        )}
      </p>
    </Form>
  );
}
