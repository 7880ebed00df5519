import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { api, channels, consentMeans, interests, leadQuery } from "#desk/api.ts";
import { language, texts } from "#desk/language.ts";
import { randomHex } from "#desk/session/storage.ts";
import { errorText } from "#desk/ui/error-text.ts";
import { Chips, emailInput, mobileInput, nameInput, TextField } from "#desk/ui/fields.tsx";
import { Form, type Values } from "#desk/ui/form.tsx";
import { Heading } from "#desk/ui/heading.tsx";
import { textLimits } from "#shared/content/text-limits.ts";
import { languages } from "#shared/i18n/language.ts";
import { NoteField } from "./note-field.tsx";

/** Enters a visitor who is at the sales gallery or on the phone, by the rules of the form. */
export function NewLeadPage() {
  const client = useQueryClient();
  /** A repeated form has the same key, a changed form another one. */
  const last = useRef({ form: "", key: "" });
  const saving = useMutation({
    mutationFn: api.enter,
    onSuccess: (lead) => {
      client.setQueryData(leadQuery(lead.id).queryKey, lead);
      // Replaces the entry, so Back leads to the list.
      window.location.replace(`#/leads/${lead.id}`);
    },
  });

  function save({ name = "", mobile = "", email = "", note = "", ...rest }: Values, all: FormData) {
    const form = {
      name,
      mobile,
      email,
      questions: note,
      interests: all.getAll("interests"),
      language: rest["language"] ?? language,
      channels: all.getAll("channels"),
      privacy_accepted: all.has("privacy"),
      consent_means: rest["consent_means"],
      confirm: all.has("confirm"),
    };
    const text = JSON.stringify(form);
    if (last.current.form !== text) {
      last.current = { form: text, key: randomHex() };
    }
    saving.mutate({ ...form, key: last.current.key });
  }

  return (
    <>
      <a className="desk-link" href="#/leads">
        {texts.list}
      </a>
      <div className="desk-new">
        <Heading>{texts.newLead}</Heading>
        <Form
          legend={texts.visitor}
          busy={saving.isPending}
          onSave={save}
          onCancel={() => window.location.replace("#/leads")}
        >
          <TextField {...nameInput} />
          <TextField {...mobileInput} />
          <TextField {...emailInput} />
          <Chips
            legend={texts.fields.interests}
            name="interests"
            choices={interests.map((id) => [texts.interests[id], id])}
            isMultiple
          />
          <Chips
            legend={texts.fields.language}
            name="language"
            choices={languages.map((id) => [texts.languages[id], id])}
            initial={language}
          />
          <NoteField label={texts.fields.questions} maxLength={textLimits.questions} />
          <fieldset>
            <legend className="field-legend">{texts.consent}</legend>
            <label className="desk-choice">
              <input type="checkbox" name="privacy" required />
              {texts.privacyAccepted}
            </label>
            {channels.map((id) => (
              <label key={id} className="desk-choice">
                <input type="checkbox" name="channels" value={id} />
                {texts.mayContact[id]}
              </label>
            ))}
            <a
              className="desk-link"
              href={`/?lang=${language}#privacy-policy`}
              target="_blank"
              rel="noopener"
            >
              {texts.privacyPolicy}
            </a>
            <Chips
              legend={texts.consentMeans.legend}
              name="consent_means"
              choices={consentMeans.map((id) => [texts.consentMeans[id], id])}
            />
            <label className="desk-choice">
              <input type="checkbox" name="confirm" defaultChecked />
              {texts.confirmByEmail}
            </label>
          </fieldset>
        </Form>
        <p className="desk-said" role="status">
          {saving.isPending && texts.saving}
          {saving.isError && errorText(saving.error)}
        </p>
      </div>
    </>
  );
}
