/** Facts about the project that are the same in every language. `null` means: not announced yet. */
export const project: Project = {
  name: "Zyon Grand",
  salesTelephone: null,
  showFlatAddress: null,
  /** Changes whenever the text of the privacy policy changes; a test holds the two together. */
  privacyPolicyVersion: "2026-11-20",
};

interface Project {
  name: string;
  /** In international form, as it is dialled. */
  salesTelephone: string | null;
  showFlatAddress: string | null;
  privacyPolicyVersion: string;
}

/** Storeys of the three towers, in the order in which they stand. */
export const towers = [62, 62, 36] as const;
