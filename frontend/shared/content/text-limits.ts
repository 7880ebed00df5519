/** The longest text of each field of a lead, in UTF-16 code units after cleaning. The rules of the API are the same. */
export const textLimits = { name: 100, mobile: 19, email: 255, questions: 1000 } as const;
