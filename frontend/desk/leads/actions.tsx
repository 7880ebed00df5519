import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Lead, leadQuery, type Me, type Progress } from "#desk/api.ts";
import { texts } from "#desk/language.ts";
import { draftOf } from "#desk/session/storage.ts";
import { usePanelFocus } from "#desk/ui/focus.ts";
import { ActionButtons } from "./action-buttons.tsx";
import { lastChangedBy } from "./lead-text.ts";
import { findUnsavedPanel, type PanelName, panels } from "./panels/panels.ts";
import { SaveStatus } from "./save-status.tsx";
import { useSaveLead } from "./use-save-lead.ts";

interface ActionsProps {
  lead: Lead;
  progress: Progress;
  me: Me;
}

/** Buttons and panels to record a change of a lead and its next step. */
export function Actions({ lead, progress, me }: ActionsProps) {
  const [open, setOpen] = useState<PanelName | null>(() => findUnsavedPanel(lead.id));
  const save = useSaveLead(lead, progress, close);
  const { isPending: busy, isSuccess, mutate, reset } = save.saving;
  const { section, opener } = usePanelFocus(open, isSuccess);
  // Reloading the lead behind an open panel would hide a conflict with a colleague.
  const refetchOnWindowFocus = open === null && !busy;
  const current = useQuery({ ...leadQuery(lead.id), refetchOnMount: false, refetchOnWindowFocus });

  function close(panel: PanelName | null): void {
    if (panel !== null) {
      draftOf(lead.id, panel).forget();
    }
    setOpen(null);
  }

  const Panel = open === null ? null : panels[open];
  return (
    <section className="desk-actions" ref={section}>
      <h2 tabIndex={-1}>{texts.whatHappened}</h2>
      <div hidden={open !== null}>
        <ActionButtons
          lead={lead}
          progress={progress}
          me={me}
          busy={busy}
          onOpen={(panel, button) => {
            opener.current = button;
            reset();
            setOpen(panel);
          }}
          onSave={(change, button) => {
            opener.current = button;
            mutate({ change, panel: null });
          }}
        />
      </div>
      {open !== null && Panel !== null && (
        <Panel
          key={open}
          lead={lead}
          progress={progress}
          me={me}
          busy={busy}
          draft={draftOf(lead.id, open)}
          onSave={(change) => mutate({ change, panel: open })}
          onCancel={() => {
            reset();
            close(open);
          }}
        />
      )}
      <SaveStatus
        {...save}
        lead={lead.id}
        me={me}
        lastBy={current.isError ? "" : lastChangedBy(lead)}
        isPanelOpen={open !== null}
      />
    </section>
  );
}
