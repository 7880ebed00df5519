import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import {
  api,
  byNextStep,
  type Change,
  type ClosingReason,
  channels,
  type Lead,
  leadQuery,
  type Me,
  type Progress,
} from "#desk/api.ts";
import { language, texts } from "#desk/language.ts";
import { draftOf } from "#desk/session/storage.ts";
import { daysUntil, inDayAndHour, inDays, inHours, inWords, weekendVisits } from "#desk/time.ts";
import { Button, errorText, usePanelFocus } from "#desk/ui/elements.tsx";
import { correctionOf, talked, unanswered, undone, visitBooked } from "./changes.ts";
import {
  DncFields,
  dncCheckIn,
  emailInput,
  Form,
  mobileInput,
  NextStepFields,
  NoteField,
  nameInput,
  nextStepIn,
  ReasonFields,
  TextField,
  type Values,
} from "./panels.tsx";
import { isOver, lastChangedBy } from "./story.ts";

const outcomes = ["talked", "noAnswer", "visit"] as const;

/** Panels with a note, which is kept between pages. */
const noted = [...outcomes, "note", "close", "contact"] as const;

type PanelName = (typeof noted)[number] | "correct" | "dnc" | "give" | "invalid";

/** A question about a change. Without fields it asks for confirmation. */
interface Panel {
  legend: string;
  answer?: string;
  fields?: ReactNode;
  /** Absent if the fields are buttons that save. */
  read?: (values: Values) => Change;
}

interface Props {
  lead: Lead;
  progress: Progress;
  me: Me;
}

/** Time in which the last change can be undone. */
const UNDO_MS = 6_000;

/** Buttons and panels to record a change of a lead and its next step. */
export function Actions({ lead, progress, me }: Props) {
  const client = useQueryClient();
  const query = leadQuery(lead.id);
  const [open, setOpen] = useState<PanelName | null>(
    () => noted.find((name) => draftOf(lead.id, name).read()) ?? null,
  );
  const [undo, setUndo] = useState<Change | null>(null);

  const saving = useMutation({
    onMutate: () => client.cancelQueries(query),
    mutationFn: ({ change }: { change: Change; panel: PanelName | null; isUndo?: boolean }) =>
      api.change(lead.id, change),
    onSuccess: (changed, { panel, isUndo }) => {
      client.setQueryData(query.queryKey, changed);
      close(panel);
      setUndo(isUndo || !changed.progress ? null : undone(progress, changed.progress));
    },
    // A colleague has changed the lead, or the change was saved without a response.
    onError: () => client.refetchQueries(query),
  });
  const { isPending: busy, isSuccess: saved } = saving;
  const { section, opener } = usePanelFocus(open, saved);
  // Reloading the lead behind an open panel would hide a conflict with a colleague.
  const refetchOnWindowFocus = open === null && !busy;
  const current = useQuery({ ...query, refetchOnMount: false, refetchOnWindowFocus });
  const lastBy = current.isError ? "" : lastChangedBy(lead);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each change restarts the timer.
  useEffect(() => {
    // Not under the pointer or the focus, which would be lost.
    const timer = setInterval(() => {
      if (section.current?.querySelector(".desk-said :is(:hover, :focus)") == null) {
        setUndo(null);
      }
    }, UNDO_MS);
    return () => clearInterval(timer);
  }, [undo]);

  function close(panel: PanelName | null): void {
    if (panel !== null) {
      draftOf(lead.id, panel).forget();
    }
    setOpen(null);
  }

  const { state, owner, changed_at: seen } = progress;
  const { withdrawn_at } = lead;
  const { time_zone: zone } = me;
  const save = (change: Change, panel: PanelName | null = open) => saving.mutate({ change, panel });
  const noteField = (panel: (typeof noted)[number], label = texts.optionalNote) => (
    <NoteField
      label={label}
      draft={draftOf(lead.id, panel)}
      required={panel === "note" || panel === "contact"}
    />
  );
  const callIn = (values: Values) => ({
    by: me.name,
    said: values["note"] ?? "",
    next: nextStepIn(values, zone),
  });
  const days = {
    [texts.tomorrow]: inDays(zone, 1),
    [texts.inThreeDays]: inDays(zone, 3),
    [texts.nextMonday]: inDays(zone, daysUntil(zone, 1)),
  };
  const visits = weekendVisits(zone).map((at) => [inDayAndHour(at, language, zone), at]);
  // After a call, a planned visit remains the next step.
  const nextCall = (times: Record<string, string>) =>
    state !== "visit_booked" && <NextStepFields zone={zone} times={times} optional />;

  const panels: Record<PanelName, Panel> = {
    talked: {
      legend: texts.called,
      fields: (
        <>
          {noteField("talked", texts.whatSaid)}
          {nextCall(days)}
        </>
      ),
      read: (values) => talked(progress, callIn(values)),
    },
    noAnswer: {
      legend: texts.noAnswer,
      fields: (
        <>
          {noteField("noAnswer")}
          {nextCall({ [texts.inTwoHours]: inHours(2), ...days })}
        </>
      ),
      read: (values) => unanswered(progress, callIn(values)),
    },
    visit: {
      legend: texts.visit,
      fields: (
        <>
          {noteField("visit")}
          <NextStepFields zone={zone} times={Object.fromEntries(visits)} />
        </>
      ),
      read: (values) => ({
        ...visitBooked(progress, me.name, nextStepIn(values, zone)),
        ...noteIn(values),
      }),
    },
    note: {
      legend: texts.note,
      fields: noteField("note", texts.noteText),
      read: noteIn,
    },
    correct: {
      legend: texts.correct,
      fields: (
        <>
          <TextField {...nameInput} defaultValue={lead.name} />
          <TextField {...mobileInput} defaultValue={lead.mobile} />
          <TextField {...emailInput} defaultValue={lead.email} />
          <p className="desk-quiet">{texts.correctEmail}</p>
        </>
      ),
      read: (values) => ({ ...correctionOf(lead, values), seen }),
    },
    dnc: {
      legend: texts.dnc.record,
      fields: <DncFields zone={zone} />,
      read: (values) => ({ dnc_check: dncCheckIn(values, zone) }),
    },
    give: {
      legend: owner === "" ? texts.assign : texts.give,
      fields: (
        <>
          <p className="desk-quiet">{texts.givenMail}</p>
          <p className="desk-buttons">
            {me.people
              .filter((name) => name !== owner)
              .map((name) => (
                <Button key={name} plain busy={busy} onClick={() => save({ owner: name, seen })}>
                  {name === me.name ? texts.take : name}
                </Button>
              ))}
            {owner !== "" && (
              <button
                type="button"
                className="desk-link"
                aria-disabled={busy}
                onClick={() => !busy && save({ owner: "", seen })}
              >
                {texts.release}
              </button>
            )}
          </p>
        </>
      ),
    },
    close: {
      legend: texts.why,
      answer: texts.close,
      fields: (
        <>
          <ReasonFields />
          {noteField("close")}
        </>
      ),
      read: (values) => ({
        state: "closed",
        closing_reason: values["reason"] as ClosingReason,
        ...noteIn(values),
        seen,
      }),
    },
    invalid: {
      legend: texts.reallyNot,
      answer: texts.yesInvalid,
      read: () => ({ state: "invalid", seen }),
    },
    contact:
      withdrawn_at === null
        ? {
            legend: lead.do_not_contact ? texts.reallyAllow : texts.reallyForbid,
            answer: lead.do_not_contact ? texts.allow : texts.stopContacting,
            read: () => ({ do_not_contact: !lead.do_not_contact, seen }),
          }
        : {
            legend: texts.reallyAllowWithdrawn(inWords(withdrawn_at, language, zone)),
            answer: texts.allow,
            fields: noteField("contact", texts.agreedAgain),
            read: (values) => ({
              do_not_contact: false,
              ...noteIn(values),
              seen_withdrawn_at: withdrawn_at,
            }),
          },
  };
  const panel = open === null ? null : panels[open];
  const needsDncCheck = lead.phone !== null && lead.channels.length < channels.length;

  /** A button that saves a change, or opens a panel. */
  const action = (label: string, result: Change | PanelName, className = "desk-link") => (
    <button
      type="button"
      className={className}
      aria-disabled={busy}
      onClick={(event) => {
        if (busy) {
          return;
        }
        opener.current = event.currentTarget;
        if (typeof result === "string") {
          saving.reset();
          setOpen(result);
        } else {
          save(result, null);
        }
      }}
    >
      {label}
    </button>
  );

  return (
    <section className="desk-actions" ref={section}>
      <h2 tabIndex={-1}>{texts.whatHappened}</h2>
      <div hidden={panel !== null}>
        {isOver(state) ? (
          <p className="desk-buttons">
            {action(texts.reopen, { state: "contacted", seen }, "button button-small")}
          </p>
        ) : (
          <p className="desk-outcomes">
            {action(texts.called, "talked", "button button-plain")}
            {action(texts.noAnswer, "noAnswer", "button button-plain")}
            {action(texts.visit, "visit", "button button-plain")}
          </p>
        )}
        <p className="desk-buttons">
          {action(texts.note, "note")}
          {!isOver(state) && (
            <>
              {owner === "" && action(texts.take, { owner: me.name, seen })}
              {action(owner === "" ? texts.assign : texts.give, "give")}
              {action(texts.correct, "correct")}
              {needsDncCheck && action(texts.dnc.record, "dnc")}
              {action(texts.close, "close")}
              {action(texts.markInvalid, "invalid")}
            </>
          )}
          {action(lead.do_not_contact ? texts.allow : texts.forbid, "contact")}
        </p>
      </div>
      {panel !== null && (
        <Form
          key={open}
          legend={panel.legend}
          answer={panel.read === undefined ? null : (panel.answer ?? texts.save)}
          busy={busy}
          onSave={(values) => panel.read && save(panel.read(values))}
          onCancel={() => {
            saving.reset();
            close(open);
          }}
        >
          {panel.fields}
        </Form>
      )}
      <div className={saved ? "desk-said desk-said-saved" : "desk-said"} role="status">
        {busy && <span>{texts.saving}</span>}
        {saving.isError && <span>{errorText(saving.error, { by: lastBy })}</span>}
        {saved && open === null && (
          <>
            <span>{texts.saved}</span>
            {saving.variables.change.owner === me.name && <span>{texts.nowYours}</span>}
            {undo !== null && (
              <button
                type="button"
                className="desk-link"
                onClick={() => saving.mutate({ change: undo, panel: null, isUndo: true })}
              >
                {texts.undo}
              </button>
            )}
            <NextDue after={lead.id} />
          </>
        )}
      </div>
    </section>
  );
}

function noteIn({ note = "" }: Values): Pick<Change, "note"> {
  return note === "" ? {} : { note };
}

/** A link to the next due lead of the person. */
function NextDue({ after }: { after: string }) {
  const { data = [] } = useQuery({
    queryKey: ["due", after],
    queryFn: async () => (await api.leads({ mine: true, due: true, after: "" })).leads,
    gcTime: 0,
  });
  const next = data.filter(({ id }) => id !== after).sort(byNextStep)[0];
  return (
    next && (
      <a className="desk-link" href={`#/leads/${next.id}`}>
        {texts.nextDue(next.name)}
      </a>
    )
  );
}
