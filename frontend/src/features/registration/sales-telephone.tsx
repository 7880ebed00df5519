import { FactText } from "#content/fact-text.tsx";
import { project } from "#content/project.ts";

export function SalesTelephone() {
  const number = project.salesTelephone;
  if (number === null) {
    return <FactText fact={null} />;
  }
  return <a href={`tel:${number.replaceAll(" ", "")}`}>{number}</a>;
}
