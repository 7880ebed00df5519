import { createContext, useContext } from "react";
import type { LoadMessages } from "./load-messages.ts";

const Context = createContext<LoadMessages | null>(null);

export const LoadMessagesProvider = Context.Provider;

/** Where the texts of another language come from. */
export function useLoadMessages(): LoadMessages {
  const load = useContext(Context);
  if (load === null) {
    throw new Error("the language can only be switched inside the provider of its texts");
  }
  return load;
}
