export const en = {
  head: {
    home: {
      title: "Zyon Grand: residences beside the metro",
      description:
        "706 residences in two towers of 62 storeys, 70 metres from the metro. Register to receive the e-brochure, floor plans, pricing and show flat preview.",
    },
    notFound: {
      title: "Page not found: Zyon Grand",
      description: "There is no page at this address.",
    },
  },
  bar: {
    skip: "Skip to content",
    home: "Zyon Grand, home",
    register: "Register Interest",
  },
  footer: {
    copyright: "© 2025 Zyon Grand. All rights reserved.",
    privacy: "Privacy policy",
  },
  opening: {
    lead: "Two towers of 62\u00a0storeys, 70\u00a0metres from the metro.",
    facts: {
      residences: { figure: "706", text: "residences" },
      tenure: { figure: "99", text: "years’ leasehold, from 15\u00a0July\u00a02024" },
      apartments: { figure: "36", text: "storeys of serviced apartments, in a third tower" },
    },
  },
  contact: {
    heading: "Register your Interest Now",
    text: "Choose what you would like to receive and tell us how to reach you. We will send the e-brochure, floor plans, pricing and notice of the show flat preview as each is ready.",
    salesTelephone: "Sales telephone",
    showFlat: "Show flat",
    toBeAnnounced: "To be announced",
  },
  registration: {
    required: "required",
    requiredBefore: "Fields marked ",
    requiredAfter: " are required.",
    optional: "optional",
    interests: "Your interest",
    interest: {
      brochure: "Send me E-Brochure, Floor Plan & Pricing when Released!",
      purchase: "Interested to Purchase",
      showflat: "Interested in Early Brid Showflat Preview when Ready",
    },
    name: "Name",
    mobile: "Mobile",
    email: "Email",
    questions: "Questions",
    antiSpam: "What is 5+2?",
    privacyBefore: "I have read and accept the ",
    privacyLink: "privacy policy",
    submit: "Submit",
    submitting: "Submitting...",
    error: {
      interests_required: "Please select at least one interest",
      name_required: "Name is required",
      name_too_long: "Name must be less than 100 characters",
      mobile_too_short: "Mobile number must be at least 8 digits",
      mobile_too_long: "Mobile number must be less than 20 characters",
      email_invalid: "Invalid email address",
      email_too_long: "Email must be less than 255 characters",
      questions_too_long: "Message must be less than 1000 characters",
      anti_spam_wrong: "Incorrect answer. Please solve the math problem.",
      privacy_required: "You must accept the privacy policy",
      missing: "This field is required",
      wrong_type: "This answer could not be read",
      unknown_interest: "One of these choices is no longer offered",
    },
    toast: {
      accepted: "Thank you for your interest! We will contact you soon.",
      invalid: "Please correct the errors in the form",
      failed: "Failed to submit form. Please try again.",
      dismiss: "Dismiss",
    },
    acceptedNote: "Your reference, should you call or write:",
    failedNote: "What you entered is still here. To reach us by telephone:",
  },
  privacy: {
    heading: "Privacy policy",
    text: "The form sends us your interests, name, mobile number, email address and any question, with the language you read, the page you first opened and the site that led you here. We use them to send you what you asked for and to answer you about Zyon Grand, and our sales team will correct or erase them whenever you ask.",
  },
  notFound: {
    heading: "404",
    text: "Oops! Page not found",
    home: "Return to Home",
  },
  unexpected: {
    heading: "Unexpected Application Error!",
    text: "Please load the page again.",
  },
};
