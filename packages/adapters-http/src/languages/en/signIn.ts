import { type Html, html } from "../../html/Html.js"
import { number } from "./words.js"

/**
 * The texts of the front page, and of the pages about sign-in, sign-up, new passwords, mailed links and the account's
 * address.
 */
export const signIn = {
  title: "Sign in",
  already: (email: string): string => `You are signed in as ${email}. Sign in here to use another account.`,
  openTheLink: "Did you sign up a moment ago? Open the link in the mail first: it creates your account.",
  withPasskey: "Sign in with a passkey",
  forgotten: "Forgot your password?",
  unlock: (href: string): Html =>
    html`Was it somebody else who typed wrong passwords? <a href="${href}">Let me sign in all the same</a>`,
  noAccount: (href: string): Html => html`No account yet? <a href="${href}">Create one</a>`,
  wrong: "Email or password is wrong.",
  tooOften: (minutes: number): string =>
    `Too many attempts. Wait ${minutes === 1 ? "a minute" : `${number(minutes)} minutes`}, then try again.`,
  asking: (app: string): Html =>
    html`<strong>${app}</strong> wants to connect to your account. First sign in, then you decide. Nothing is shared
      before you allow it.`,
  askingUnnamed: html`<strong>An app that is still being tested</strong> wants to connect to your account. First sign
    in, then you decide. Nothing is shared before you allow it.`,
  frontPage: "Go to the front page",
  home: {
    title: "Your places, on your terms",
    lead: "Apps can ask where you are, but only about the places that you share with them, only as long as you allow, and every time they ask you can read about it.",
    create: "Create an account",
    how: {
      heading: "How it works",
      places: {
        name: "Name your places",
        text: "Home, work, the gym: circles on a map that only you see. Your phone sends its location to this service and not to apps."
      },
      decide: {
        name: "Decide what each app can ask",
        text: "You choose the questions, the places and the end date. You can pause or disconnect an app at any time."
      },
      read: {
        name: "Read what it asked",
        text: "Your access log lists every request and what the app learned."
      }
    },
    example: {
      caption: "An example: the page on which you decide",
      app: "Porch light",
      description: "Turns the light on when you come home.",
      home: "Home",
      work: "Work",
      log: {
        heading: "An example of an access log",
        text: "The app learned when its user came home. It was refused the exact location, which its user has not allowed, and learned nothing while it was paused."
      }
    },
    developers: "For developers",
    developersText: html`Build an app that knows when its users arrive, without ever seeing coordinates. Sign in, then
      open the developer portal. The <a href="/docs">documentation</a> begins with a
      <a href="/docs/quick-start">quick start</a>; the API is described in <a href="/openapi.json">openapi.json</a>,
      too.`
  },
  confirm: {
    title: "Confirm that it is you",
    lead: "The next step is one that a stranger at this browser must not take. Prove once more who you are; then we do not ask again for 15 minutes.",
    goOn: "Go on",
    unknown: (href: string): Html => html`You do not know it any more? <a href="${href}">Set a new one by mail</a>`
  },
  mailed: {
    send: "Send me a link",
    title: "Look into your mail",
    text: (email: string, minutes: number): string =>
      `If ${email} has an account here, a mail with a link is on its way. The link works for ${number(minutes)} minutes.`,
    noMail:
      "No mail after some minutes? Look into the spam folder, and whether the address above is the one that you sign in with. We send at most three links in half an hour.",
    another: "Try another address",
    back: (signIn: string): Html =>
      html`Afterwards, come back to this page and <a href="${signIn}">sign in</a>: then you go on where you were.`
  },
  deadLink: {
    title: "This link does not work",
    heading: "This link does not work any more",
    sendNew: "Send me a new link",
    reset: (minutes: number): string =>
      `It was used already, it is older than ${number(minutes)} minutes, or the password was changed after it was mailed.`,
    unlock: (minutes: number): string =>
      `It was used already, it is older than ${number(minutes)} minutes, or the password was changed after it was mailed.`,
    address:
      "It was used already, it is older than 24 hours, or it is for another account than the one that is signed in here.",
    signUp: "It was used already, it is older than 24 hours, or the address has an account by now.",
    undo: "It was used already, it is older than 7 days, or an earlier address was brought back."
  },
  reset: {
    title: "Set a new password",
    lead: (minutes: number): string => `We mail you a link. It works once, for ${number(minutes)} minutes.`,
    known: (href: string): Html => html`You know your password? <a href="${href}">Sign in</a>`,
    text: (email: string): string =>
      `For ${email}. Setting it signs you out everywhere; then you sign in with the new password.`,
    password: "New password",
    set: "Set the password",
    done: "Your password was changed",
    doneText:
      "Every browser was signed out. A mail confirms the change. If you were connecting an app, go on in the tab in which you asked for the mail, or connect the app again."
  },
  unlocking: {
    title: "Sign in although others guess",
    lead: (minutes: number): string =>
      `After five wrong passwords, sign-in is closed for a quarter of an hour to browsers that you did not use before. We mail you a link: the browser in which you open it can sign in at once. It works once, for ${number(minutes)} minutes.`,
    unknown: (href: string): Html => html`You do not know your password? <a href="${href}">Set a new one</a>`,
    open: "Let this browser sign in",
    openText: (email: string): string =>
      `Then you can sign in to ${email} with this browser, whatever others type elsewhere. You need your password as well.`,
    notYours: "Is this not your own browser? Then open the link in yours.",
    done: "This browser can sign in",
    doneText: (email: string): string => `Sign in to ${email} now, with your password.`,
    setNew: "Set a new password"
  },
  signUp: {
    title: "Create an account",
    name: "Name",
    nameHint: "How we address you. Optional.",
    keep: "Keep my history",
    keepHint:
      "Your history is where your phones were, and your visits. Apps that can look back see only what is kept. You can change this in the settings at any time.",
    create: "Create account",
    haveOne: (href: string): Html => html`You have an account? <a href="${href}">Sign in</a>`,
    taken: "An account with this email exists already. Sign in instead.",
    mailedAgain: "If somebody signed up with it, the link is on its way again.",
    mailed: (email: string, hours: number): string =>
      `We wrote to ${email}. Open the link in the mail within ${number(hours)} hours and type the password that you chose: then you have an account, and are signed in.`,
    noMail:
      "No mail after some minutes? Look into the spam folder, and whether the address above is right. We send at most three mails in half an hour.",
    mailAgain: "Send the mail again",
    another: "Use another address",
    closed: "No new accounts",
    closedText: "Only the people who run this service can create accounts. Ask them for one."
  },
  confirmSignUp: {
    title: "Confirm your address",
    text: (email: string): string =>
      `Somebody signed up with ${email}. If it was you, type the password that you chose then: your account is created, and you are signed in. If it was not you, close this page.`,
    takesAddress:
      "There is an account with this address already, which nobody confirmed. If you go on, the new account gets the address. The earlier account loses it: its data, phones and connected apps stay with it, and nobody can sign in to it with this address any more.",
    takesYours:
      "Is the earlier account yours? Then do not go on: sign in to it, and confirm the address in its settings. If you do not know its password, ask the people who run this service.",
    password: "The password that you chose",
    make: "Create my account",
    unknown: (href: string): Html =>
      html`You do not know the password any more? <a href="${href}">Sign up again</a>: the first link that is used
        counts.`,
    again: "Sign up again",
    wrong: "is not the one that was chosen at the sign-up"
  },
  address: {
    title: "Your e-mail address",
    settings: "Settings",
    change: "Change it",
    changeText:
      "We mail a link to the new address. When you open it, the address is changed: you sign in with it, and we write there.",
    undoText: "The old address gets a mail, with a link that undoes the change for 7 days.",
    noLink: "At present this service sends no mail: no link arrives, and the address stays as it is.",
    newAddress: "New address",
    mailLink: "Mail me a link",
    confirmFirst: "Confirm that it is you first",
    confirmed: "Confirmed",
    noMail: "This service sends no mail, so the address counts as confirmed without a link.",
    none: "Your account has no e-mail address: somebody else confirmed the one that it had. Set another one here.",
    untilThen: "Until then you get no mail, you can connect no app, and none of your apps can be reviewed.",
    notConfirmed: "Not confirmed",
    notConfirmedText:
      "Until you confirm the address, you get no mail, you can connect no app, and none of your apps can be reviewed.",
    mailConfirmation: "Mail me a link to confirm it"
  },
  confirmAddress: {
    title: "Confirm the address",
    own: (email: string): string => `${email} is your address, and you read its mail.`,
    replaces: (email: string, before: string): string =>
      `Your account gets ${email} in place of ${before}: you sign in with it, and we write there. ${before} gets a mail, with a link that undoes the change for 7 days.`,
    isFirst: (email: string): string =>
      `Your account gets ${email}: you sign in with it, and we write there. No link undoes the change, because the account has no confirmed address yet.`,
    confirm: "Confirm it",
    change: "Change the address",
    nothing: "Change nothing",
    taken: "The address has another account",
    takenText: "It was confirmed for another account since the link was mailed. Nothing was changed."
  },
  undo: {
    title: "Bring your address back",
    text: (email: string): string =>
      `Your account gets ${email} again, and the new password that you type here. Everybody is signed out, in every browser. Then you sign in with ${email} and the new password.`,
    factors:
      "All recovery codes are removed, and every passkey and every app for one-time codes that was added in the 24 hours before the change or after it, because somebody else may have added them. If one of them is yours, add it again afterwards.",
    undo: "Undo the change",
    yourself: "You changed the address yourself? Then close this page: nothing happens.",
    takenText: (email: string): string =>
      `${email} was confirmed for another account since. Delete that account, or give it another address: then this link works, until 7 days after the change.`,
    done: "Your address is back",
    passwordChanged: (strength: Html): Html => html`Your password was changed. ${strength}`,
    doneText: (email: string): string => `Your account has ${email} again, and everybody was signed out.`,
    factorsRemoved:
      "We removed all recovery codes, and every passkey and every app for one-time codes that was added in the 24 hours before the change or after it. If one of them was yours, add it again.",
    look: "Sign in and look for what you do not know: among your passkeys and second factors, your connected apps and your phones, and in the teams, secrets and webhooks of your own apps. What somebody else removed or deleted does not come back."
  }
}
