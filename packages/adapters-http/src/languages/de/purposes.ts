import { html } from "../../html/Html.js"
import type * as en from "../en/purposes.js"
import { plural } from "./words.js"

export const purposes: typeof en.purposes = {
  labels: {
    key: "Schlüssel",
    description: "Beschreibung",
    scopes: "Scopes",
    volume: "Erwartete Abfragen am Tag"
  },
  hints: {
    key: "Was Ihr Code sendet: 3 bis 40 Zeichen aus a-z, 0-9 und _. Er bleibt für immer vergeben.",
    description: "10 bis 200 Zeichen. Personen lesen sie so, wie Sie sie schreiben.",
    volume: "Die meisten Abfragen, die für eine Person an einem Tag nötig sein sollten, 1 bis 10.000."
  },
  badges: {
    archived: "Archiviert",
    draft: "Entwurf",
    in_review: "In Prüfung",
    approved: "Genehmigt",
    rejected: "Abgelehnt"
  },
  earlierInForce: "Früherer Wortlaut gilt",
  heading: "Zwecke",
  lead: "Jede Abfrage eines genauen Standorts nennt den Zweck, für den sie ist. Personen lesen seine Beschreibung, wenn sie entscheiden. In Produktion gehen nur genehmigte Zwecke.",
  needsNone: "Ihre App gibt keinen sensiblen Scope an, also braucht sie keinen Zweck.",
  revoked: "Die App ist widerrufen, also lassen sich ihre Zwecke nicht benutzen und nicht ändern.",
  add: "Zweck hinzufügen",
  addPurpose: "Zweck hinzufügen",
  scopesAndVolume: (scopes, calls) =>
    `${scopes.join(", ")}; bis zu ${plural(calls, "Abfrage", "Abfragen")} am Tag und je Person`,
  change: "Ändern",
  changeOf: (key) => `${key} ändern`,
  look: "Ansehen",
  lookAt: (key) => `${key} ansehen`,
  submit: "Zur Prüfung einreichen",
  submitOf: (key) => `Zur Prüfung einreichen: ${key}`,
  title: (app, key) => `${app}: Zweck ${key}`,
  headingOf: (key) => html`Zweck <code>${key}</code>`,
  waitsSince: (at) => html`Er wartet (Beginn: ${at}).`,
  state: {
    archived: (at) =>
      html`Archiviert ${at}: Wir weisen Abfragen ab, die ihn nennen, und sein Schlüssel bleibt vergeben.`,
    revoked: "Die App ist widerrufen, also lässt sich der Zweck nicht benutzen und nicht ändern.",
    approved: "Genehmigt: Personen lesen genau diese Worte.",
    staysInForce: "Der genehmigte Wortlaut gilt, bis ein neuer genehmigt ist.",
    notBefore: "Ihre App kann ihn nicht benutzen, bevor er genehmigt ist.",
    meanwhile: "Ihre App kann ihn benutzen, solange sie nicht in Produktion ist.",
    next: {
      draft: "Ein Entwurf, den niemand prüft, bis Sie ihn einreichen.",
      in_review: "Ein Prüfer liest ihn. Sie bekommen eine E-Mail mit der Entscheidung.",
      rejected: "Nicht genehmigt. Ändern Sie ihn, oder reichen Sie ihn noch einmal ein, wie er ist."
    }
  },
  edit: {
    heading: "Ändern",
    keyStays: "Der Schlüssel bleibt.",
    save: "Speichern",
    after: {
      draft: "Er bleibt ein Entwurf, bis Sie ihn einreichen.",
      in_review: "Der Prüfer liest dann den neuen Wortlaut. Der Zweck behält seinen Platz in der Reihe.",
      approved: "Der neue Wortlaut geht sofort in die Prüfung. Bis er genehmigt ist, gilt der jetzige.",
      rejected: "Der Zweck ist dann wieder ein Entwurf, den Sie einreichen können."
    }
  },
  archive: {
    heading: "Zweck archivieren",
    forGood: (key) => html`<code>${key}</code> endgültig archivieren`,
    text: "Das lässt sich nicht rückgängig machen. Von da an weisen wir Abfragen ab, die ihn nennen, und der Schlüssel bleibt vergeben. Scopes, die kein anderer Zweck abdeckt, kann die App nicht mehr verlangen.",
    archive: "Zweck archivieren"
  },
  cannotBeUsed: (reason) => html`kann nicht benutzt werden: ${reason}`
}

export const team: typeof en.team = {
  labels: { email: "E-Mail-Adresse", role: "Rolle" },
  title: (app) => `Team von ${app}`,
  lead: "Alle im Team sehen die Namen der anderen. Wer die App besitzt, sieht auch die E-Mail-Adressen.",
  roles: { owner: "Besitzer", developer: "Entwickler", viewer: "Betrachter" },
  does: {
    owner: "Alles, auch Client-Secrets, Redirect-URIs und das Team.",
    developer:
      "Ändert die App, ihre Zwecke und ihre Webhooks, sieht, wer sie verbunden hat, und testet sie. Keine Client-Secrets.",
    viewer: "Liest Zahlen, Protokolle und Zustellungen. Sieht kein Geheimnis und ändert nichts."
  },
  members: "Mitglieder",
  name: "Name",
  role: "Rolle",
  since: "Seit",
  you: "Sie",
  holder: "Inhaber",
  holderText:
    "Die App ist auf den Namen dieser Person registriert. Wer zustimmt, liest ihn, und die App zählt zu den Apps dieser Person.",
  change: "Ändern",
  changeRole: "Die Rolle ändern",
  newRole: (name) => `Rolle von ${name}`,
  save: "Rolle speichern",
  remove: "Aus dem Team entfernen",
  handOver: "Die App übergeben",
  handOverText:
    "Die App ist dann auf den Namen dieser Person registriert. Sie bleiben als Besitzer im Team. Sie können das nicht selbst rückgängig machen.",
  closedRevoked:
    "Die App wurde endgültig widerrufen: Niemand kann eingeladen werden, und niemand kann die App übernehmen.",
  closedOnHold: "Die App ruht: Bis die Sperre ihres Inhabers endet, kann niemand eingeladen werden.",
  leave: "Das Team verlassen",
  leaveText: "Sie können die App dann nicht mehr öffnen. Um zurückzukommen, brauchen Sie eine neue Einladung.",
  holderStays:
    "Die App ist auf Ihren Namen registriert, deshalb können Sie das Team nicht verlassen. Geben Sie zuerst jemandem die Rolle Besitzer und übergeben Sie die App.",
  holderStaysForGood: "Die App ist auf Ihren Namen registriert, deshalb können Sie das Team nicht verlassen.",
  invite: "Jemanden einladen",
  inviteText: (days) =>
    `Wenn diese Adresse ein Konto hat, und wenn Ihre eigene Adresse bestätigt ist, senden wir ihr eine Einladung, außer wenn sie in einer Stunde schon zwei bekommen hat. Die Einladung steht auch auf der Seite „Ihre Apps“, wenn sich jemand innerhalb von ${days} Tagen mit dieser Adresse anmeldet. Wir sagen nicht, ob es ein Konto gibt.`,
  roleHint: "Sie können sie später ändern.",
  send: "Einladung senden",
  cannotBeInvited: (reason) => html`kann nicht eingeladen werden: ${reason}`,
  notDone: (reason) => html`Das wurde nicht getan: ${reason}.`,
  invitations: "Offene Einladungen",
  noInvitations: "Keine.",
  ends: "Endet",
  withdraw: "Zurückziehen",
  invitation: {
    title: (app) => `Einladung in das Team von ${app}`,
    text: (by, app) => html`Das Team der App „${app}“ möchte Sie als Mitglied. Die Einladung kommt von ${by}.`,
    until: (at) => html`Sie können annehmen bis: ${at}.`,
    seen: "Die anderen im Team sehen Ihren Namen, und wer die App besitzt, sieht auch Ihre E-Mail-Adresse. Sie können das Team jederzeit verlassen.",
    accept: "Dem Team beitreten",
    decline: "Ablehnen",
    waiting: "Einladungen an Sie",
    open: (app) => `${app}: Einladung ansehen`
  }
}
