import { project } from "#content/project.ts";
import { FactText } from "#ui/fact-text.tsx";

export function SalesTelephone() {
  const number = project.salesTelephone;
  if (number === null) {
    return <FactText fact={null} />;
  }
  return <a href={`tel:${number.replaceAll(" ", "")}`}>{number}</a>;
}
