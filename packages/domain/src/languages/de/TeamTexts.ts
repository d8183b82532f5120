import type { GermanPair } from "../GermanPair.js"

/** The mails about teams, and the texts that say why a change of a team, or an action of a member, is refused. */
export const teamTexts: ReadonlyArray<GermanPair> = [
  { en: "The invitation", de: "Die Einladung" },
  { en: "The team", de: "Das Team" },
  { en: "The app", de: "Die App" },
  { en: "You are invited into the team of an app", de: "Sie sind in das Team einer App eingeladen" },
  {
    en: "An owner of an app invites you into its team. The page of the invitation names the owner and the app.",
    de: "Sie sind in das Team einer App eingeladen. Auf der Seite der Einladung steht, von wem sie kommt und um welche App es geht."
  },
  {
    en: "As an owner you can do everything with the app: its secrets and its team are yours to change, too.",
    de: "Als Besitzer können Sie alles mit der App tun: Sie können auch ihre Geheimnisse und ihr Team ändern."
  },
  {
    en: "As a developer you can change the app, its purposes and its webhooks, and test it. Client secrets and the team stay with the owners.",
    de: "Als Entwickler können Sie die App, ihre Zwecke und ihre Webhooks ändern und sie testen. Client-Secrets und das Team bleiben bei denen, die die App besitzen."
  },
  {
    en: "As a viewer you read figures, logs and deliveries. You see no secret and change nothing.",
    de: "Als Betrachter lesen Sie Zahlen, Protokolle und Zustellungen. Sie sehen kein Geheimnis und ändern nichts."
  },
  {
    en: "You can accept until {at:moment}. If you do nothing, nothing happens.",
    de: "Sie können bis zum {at:moment} annehmen. Wenn Sie nichts tun, geschieht nichts."
  },
  { en: "Somebody joined the team of {app}", de: "Jemand ist dem Team von {app} beigetreten" },
  {
    en: 'Your invitation into the team of the app "{app}" was accepted. The page of the team shows by whom.',
    de: "Ihre Einladung in das Team der App „{app}“ wurde angenommen. Auf der Seite des Teams steht, von wem."
  },
  { en: "You have another role in the team of {app}", de: "Sie haben eine andere Rolle im Team von {app}" },
  {
    en: 'On {at:moment} an owner of the app "{app}" gave you another role in its team.',
    de: "Am {at:moment} haben Sie im Team der App „{app}“ von jemandem, der sie besitzt, eine andere Rolle bekommen."
  },
  { en: "You are no longer in the team of {app}", de: "Sie sind nicht mehr im Team von {app}" },
  {
    en: 'On {at:moment} an owner removed you from the team of the app "{app}". You cannot open the app any more.',
    de: "Am {at:moment} hat Sie jemand, der die App „{app}“ besitzt, aus ihrem Team entfernt. Sie können die App nicht mehr öffnen."
  },
  {
    en: 'On {at:moment} you left the team of the app "{app}". You cannot open the app any more.',
    de: "Am {at:moment} haben Sie das Team der App „{app}“ verlassen. Sie können die App nicht mehr öffnen."
  },
  {
    en: "If this was not you, somebody else uses your account: change your password.",
    de: "Wenn Sie das nicht waren, benutzt jemand anders Ihr Konto: Ändern Sie Ihr Passwort."
  },
  { en: "An app is in your name now", de: "Eine App ist jetzt auf Ihren Namen registriert" },
  {
    en: "On {at:moment} an app of a team of yours passed to you. Its users read your name as that of its developer, and it counts among your apps. You got many e-mails about apps within an hour, so this one does not say which app it is: open the link.",
    de: "Am {at:moment} ist eine App eines Ihrer Teams an Sie übergegangen. Wer sie verbindet, liest Ihren Namen als den des Entwicklers, und sie zählt zu Ihren Apps. Sie haben in einer Stunde viele E-Mails über Apps bekommen. Deshalb steht hier nicht, welche App es ist: Öffnen Sie den Link."
  },
  { en: "The app {app} is in your name now", de: "Die App {app} ist jetzt auf Ihren Namen registriert" },
  {
    en: 'On {at:moment} the app "{app}" was handed over to you. Its users read your name as that of its developer, and it counts among your apps.',
    de: "Am {at:moment} wurde Ihnen die App „{app}“ übergeben. Wer sie verbindet, liest Ihren Namen als den des Entwicklers, und sie zählt zu Ihren Apps."
  },
  {
    en: 'On {at:moment} the account of the holder of the app "{app}" was deleted, so the app passed to you. Its users read your name as that of its developer, and it counts among your apps.',
    de: "Am {at:moment} wurde das Konto gelöscht, auf das die App „{app}“ registriert war. Sie ist deshalb an Sie übergegangen. Wer sie verbindet, liest Ihren Namen als den des Entwicklers, und sie zählt zu Ihren Apps."
  },
  {
    en: "Somebody who worked on the app before may still have its client secret. Replace the secret before you connect the app with your own account.",
    de: "Wer früher an der App gearbeitet hat, kann ihr Client-Secret noch haben. Ersetzen Sie es, bevor Sie die App mit Ihrem eigenen Konto verbinden."
  },
  { en: "you are not in the team of this app", de: "Sie sind nicht im Team dieser App" },
  {
    en: "your role in the team of this app only lets you read",
    de: "mit Ihrer Rolle im Team dieser App können Sie nur lesen"
  },
  {
    en: "only owners of this app may do this: ask one of them",
    de: "das darf nur, wer diese App besitzt: Fragen Sie dort nach"
  },
  {
    en: "the waiting changes include redirect URIs: only owners of this app may withdraw them",
    de: "die wartenden Änderungen enthalten Redirect-URIs: Nur wer diese App besitzt, darf sie zurückziehen"
  },
  {
    en: "the app was revoked, or the account of its holder is suspended",
    de: "die App wurde widerrufen, oder das Konto ihres Inhabers ist gesperrt"
  },
  {
    en: "the app is registered in this person's name: the app has to be handed over first",
    de: "die App ist auf den Namen dieser Person registriert: Sie muss zuerst übergeben werden"
  },
  {
    en: "only an owner can take the app over: make this member an owner first",
    de: "nur wer die App mit besitzt, kann sie übernehmen: Geben Sie diesem Mitglied zuerst die Rolle Besitzer"
  },
  { en: "only the holder can hand the app over", de: "nur der Inhaber kann die App übergeben" },
  { en: "this person is in the team already", de: "diese Person ist schon im Team" },
  { en: "you are in the team already", de: "Sie sind schon im Team" },
  {
    en: "this address is invited already: withdraw that invitation first",
    de: "diese Adresse ist schon eingeladen: Ziehen Sie zuerst jene Einladung zurück"
  },
  {
    en: "the account of this owner is suspended: choose another owner",
    de: "das Konto dieser Person ist gesperrt: Wählen Sie jemand anderen, der die App mit besitzt"
  },
  {
    en: "this owner has as many apps as an account can have",
    de: "diese Person hat schon so viele Apps, wie ein Konto haben kann"
  },
  {
    en: "a team can have {n:number} people; remove one first",
    de: "ein Team kann {n:number} Personen haben; entfernen Sie zuerst eine"
  },
  {
    en: "an app can have {n:number} open invitations; withdraw one first",
    de: "eine App kann {n:number} offene Einladungen haben; ziehen Sie zuerst eine zurück"
  },
  {
    en: "an account can invite {n:number} people in a day; wait and try again",
    de: "ein Konto kann {n:number} Personen am Tag einladen; warten Sie und versuchen Sie es noch einmal"
  }
]
