import { useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef } from "react";
import { api, byNextStep, type Me } from "#desk/api.ts";
import { texts } from "#desk/language.ts";
import { errorText } from "#desk/ui/error-text.ts";
import type { useSaveLead } from "./use-save-lead.ts";

interface SaveStatusProps extends ReturnType<typeof useSaveLead> {
  lead: string;
  me: Me;
  /** The last colleague to change the lead, or an empty text. */
  lastBy: string;
  /** Whether a panel is open, which has another question than the saved one. */
  isPanelOpen: boolean;
}

/** The result of the last change. After success it offers undo and the next lead. */
export function SaveStatus({
  lead,
  me,
  lastBy,
  isPanelOpen,
  saving,
  undo,
  endUndo,
}: SaveStatusProps) {
  const { isPending, isSuccess, isError, error, variables, mutate } = saving;
  return (
    <div className={isSuccess ? "desk-said desk-said-saved" : "desk-said"} role="status">
      {isPending && <span>{texts.saving}</span>}
      {isError && <span>{errorText(error, { by: lastBy })}</span>}
      {isSuccess && !isPanelOpen && (
        <>
          <span>{texts.saved}</span>
          {variables.change.owner === me.name && <span>{texts.nowYours}</span>}
          {undo !== null && (
            <UndoButton
              onUndo={() => mutate({ change: undo, panel: null, isUndo: true })}
              onExpire={endUndo}
            />
          )}
          <NextDue after={lead} />
        </>
      )}
    </div>
  );
}

/** Time in which the last change can be undone. */
const UNDO_MS = 6_000;

function UndoButton({ onUndo, onExpire }: { onUndo: () => void; onExpire: () => void }) {
  const button = useRef<HTMLButtonElement>(null);

  const expire = useEffectEvent(() => {
    // Not under the pointer or the focus, which would be lost.
    const inUse = button.current?.parentElement?.querySelector(":scope > :is(:hover, :focus)");
    if (inUse == null) {
      onExpire();
    }
  });
  useEffect(() => {
    const timer = setInterval(() => expire(), UNDO_MS);
    return () => clearInterval(timer);
  }, []);

  return (
    <button type="button" className="desk-link" ref={button} onClick={onUndo}>
      {texts.undo}
    </button>
  );
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
