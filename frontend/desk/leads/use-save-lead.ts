import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, type Change, type Lead, leadQuery, type Progress } from "#desk/api.ts";
import { undoChange } from "./changes.ts";
import type { PanelName } from "./panels/panels.ts";

interface Save {
  change: Change;
  /** The panel with the change, or `null` if a button saved it. */
  panel: PanelName | null;
  isUndo?: boolean;
}

/**
 * Saves changes of a lead.
 * @param onSaved called with the panel of the change
 * @returns the call, and the change that undoes the last one
 */
export function useSaveLead(
  { id }: Lead,
  progress: Progress,
  onSaved: (panel: PanelName | null) => void,
) {
  const client = useQueryClient();
  const query = leadQuery(id);
  const [undo, setUndo] = useState<Change | null>(null);
  const saving = useMutation({
    onMutate: () => client.cancelQueries(query),
    mutationFn: ({ change }: Save) => api.change(id, change),
    onSuccess: (changed, { panel, isUndo }) => {
      client.setQueryData(query.queryKey, changed);
      onSaved(panel);
      setUndo(isUndo || !changed.progress ? null : undoChange(progress, changed.progress));
    },
    // A colleague has changed the lead, or the change was saved without a response.
    onError: () => client.refetchQueries(query),
  });
  return { saving, undo, endUndo: () => setUndo(null) };
}
