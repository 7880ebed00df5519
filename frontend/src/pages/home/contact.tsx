import { PrivacyPolicy } from "#features/privacy/privacy-policy.tsx";
import { ContactSection } from "#features/registration/contact-section.tsx";
import { useRegistrationState } from "#features/registration/registration-provider.tsx";
import { Boundary } from "#ui/part.tsx";
import { browserServices } from "./browser-services.ts";

/** The form, and the policy that it asks to accept. */
export function Contact() {
  const { services } = useRegistrationState();
  return (
    <>
      <Boundary>
        <ContactSection services={services ?? browserServices()} />
      </Boundary>
      <Boundary>
        <PrivacyPolicy />
      </Boundary>
    </>
  );
}
