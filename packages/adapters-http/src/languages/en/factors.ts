import { type Html, html } from "../../html/Html.js"
import { number, plural } from "./words.js"

/** The texts about the second factor: passkeys, one-time codes and recovery codes. */
export const factors = {
  title: "Your second factor",
  isOn: "Your password alone signs nobody in: we also ask for one of these.",
  isOff: "With a second factor, somebody who finds out your password still cannot sign in.",
  required: html`<strong
      >You review or administer apps here, and this service requires a second factor for that.</strong
    >
    Set one up below. Until then you reach only this page.`,
  otherBrowsers: "Other browsers stay signed in when you change something here.",
  sessions: "Where you are signed in",
  remove: "Remove",
  removeOnly:
    "This is your only second factor. Without it, your password alone signs you in, and your recovery codes no longer work.",
  removeOnlyOfStaff:
    "This is your only second factor. Without it you reach no page for reviewers and admins until you set up another one, and your recovery codes no longer work.",
  removal: {
    text: (opensAt: Html): Html =>
      html`<strong>Somebody asked those who run this service to remove your second factor.</strong> They can do it from
        ${opensAt} on. Did you not ask for it? Then stop it here.`,
    keep: "Keep my second factor"
  },
  passkeys: {
    heading: "Passkeys",
    text: "Your phone, your computer or a security key signs you in, with a finger, your face or a PIN. A passkey works only on our pages, so nobody can trick you out of it. It also signs you in without the password.",
    neverUsed: (added: Html): Html => html`Added ${added}, never used`,
    used: (added: Html, used: Html): Html => html`Added ${added}, last used ${used}`,
    removeOne: (name: string): string => `Remove the passkey ${name}`,
    add: "Add a passkey…",
    impossible: "Passkeys need a name in the address of the service. This service runs at a network address."
  },
  codes: {
    heading: "One-time codes",
    text: "An app on your phone shows six digits, which change every 30 seconds. It needs no network.",
    isOn: "On",
    isClosed: "Closed",
    closed:
      "After 100 wrong codes in a row, the codes of this app no longer work. They work again when you sign in with a passkey or a recovery code.",
    remove: "Remove the app",
    setUp: "Set up an app…"
  },
  recovery: {
    heading: "Recovery codes",
    none: "No recovery code is left. Each signs you in once in place of your second factor. New ones replace the ones before.",
    left: (count: number): string =>
      `${plural(count, "recovery code is", "recovery codes are")} left. Each signs you in once in place of your second factor. New ones replace the ones before.`,
    lost: (isMailed: boolean): string =>
      `Did you lose everything, these codes too? Ask those who run this service. They can remove your second factor, but only three days after they were asked. Until then you can stop it on this page${isMailed ? ", and we tell you by mail" : ""}.`,
    make: "Create new recovery codes",
    endsKept: (count: number): string =>
      count === 1
        ? "The code that you have kept no longer works then."
        : "The codes that you have kept no longer work then."
  },
  shownOnce: {
    title: "Your recovery codes",
    passkeyAdded: "The passkey was added",
    codesOn: "One-time codes are on",
    renewed: "Your new recovery codes",
    lead: "These recovery codes sign you in when you do not have your second factor.",
    once: html`<strong>They are shown once.</strong> Print them or write them down, and keep them apart from your
      password. Each code works once.`,
    kept: "I have kept them"
  },
  add: {
    title: "Add a passkey",
    lead: "Your browser asks where to keep it: on this device, on your phone, or on a security key.",
    without: "This browser has no passkeys, or JavaScript is switched off. One-time codes work without either.",
    name: "Name",
    nameHint: "So that you recognise it later, such as “My phone”.",
    button: "Add the passkey",
    rejected: "was not accepted, perhaps because this page was open for more than five minutes. Try again"
  },
  setUp: {
    title: "Set up one-time codes",
    scan: "1. Give our secret to the app",
    scanText: "Scan this picture with an app for one-time codes on your phone.",
    picture: "QR code. It holds the secret below.",
    isThisThePhone: "Is this the phone?",
    open: "Open in the app",
    type: "Or type it in",
    show: "2. Show us that it works",
    code: "The code that the app shows",
    codeHint: "Six digits. Until you send them, nothing changes.",
    switchOn: "Switch on one-time codes",
    wrong: "is not the one of this moment. Wait for the next one, and check the clock of your phone"
  },
  asked: {
    code: "Code",
    passkey: "The passkey",
    hint: "The six digits of your app, or a recovery code.",
    closedHint: "One of your recovery codes. After 100 wrong codes in a row, the codes of your app count no more.",
    recoveryHint: "One of your recovery codes, if you do not have the passkey.",
    usePasskey: "Use a passkey",
    rejected: "was not accepted. Load the page again, or use a code",
    wrong: "is wrong, or was used before",
    tooOften: (minutes: number): string =>
      `was tried too often. Wait ${minutes === 1 ? "a minute" : `${number(minutes)} minutes`}, then try again`,
    missing: "must be given"
  },
  secondStep: {
    lead: "Your password is right. Now show that it is you, within ten minutes.",
    signIn: "Sign in",
    again: "Begin again",
    neither: "You have neither?",
    neitherText:
      "Ask those who run this service. They can remove your second factor, but only three days after they were asked. If you confirmed your e-mail address, you get a mail at once. A browser in which you are signed in can stop it."
  },
  codeUsed: {
    title: "You used a recovery code",
    last: "You are signed in. This code does not work again. It was your last one.",
    left: (count: number): string =>
      `You are signed in. This code does not work again. You have ${plural(count, "code", "codes")} left.`,
    lost: (href: string): Html =>
      html`Did you lose your second factor? Then remove it and set up another one now:
        <a href="${href}">your second factor</a>.`,
    goOn: "Go on"
  },
  signIn: {
    title: "Sign in with a passkey",
    rejected: "was not accepted. Try again, or use your password",
    without: "This browser has no passkeys, or JavaScript is switched off. Sign in with your password.",
    button: "Use my passkey",
    password: "Sign in with your password"
  },
  // The texts of passkeyScript.
  script: {
    asking: "Your browser asks you for the passkey …",
    known: "This device has a passkey of this account already.",
    address: "This browser does not allow passkeys at this address.",
    none: "The browser gave us no passkey. Try again, or use another way."
  }
}
