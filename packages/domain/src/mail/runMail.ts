import { type Duration, Effect } from "effect"
import type { Addresses } from "./Mail.js"
import { sendMail } from "./sendMail.js"

/** Sends mail until interrupted: nobody signals a message, so it looks every few seconds. Never fails. */
export const runMail = (addresses: Addresses, every: Duration.DurationInput = "5 seconds") =>
  sendMail(addresses).pipe(
    Effect.tap((handled) => (handled > 0 ? Effect.logDebug("Mail was sent or put off", handled) : Effect.void)),
    Effect.catchAllCause((cause) => Effect.logError("Mail could not be sent, later again", cause)),
    Effect.zipRight(Effect.sleep(every)),
    Effect.forever
  )
