// What the sign-in pages say about the app that sent the person to sign in (decision consent-10).
import { Option } from "effect"
import * as App from "../apps/App.js"
import type { LogoDigest } from "../apps/AppLogo.js"
import type { AppId, Timestamp } from "../shared/index.js"
import { canBeAnswered } from "./ConsentDecision.js"
import { type ConsentRequest, isOpen } from "./ConsentRequest.js"

/** An app whose consent page comes after the sign-in. */
export interface AskingApp {
  readonly id: AppId
  /** The name that a reviewer approved; null for an app that is not in production. */
  readonly name: string | null
  readonly logo: LogoDigest | null
}

/**
 * The app of a consent request, for the sign-in pages. None when the request cannot be answered now (it has expired or
 * was decided, its redirect URI was removed, or nobody can connect the app): then these pages mention no app.
 */
export const of = (
  request: Pick<ConsentRequest, "createdAt" | "decided" | "redirectUri">,
  app: App.App,
  now: Timestamp.Timestamp
): Option.Option<AskingApp> => {
  if (request.decided !== null || !isOpen(request, now) || App.isGone(app)) return Option.none()
  // Test people have no password, so a person who signs in here is a real person, and the argument `testOf` is null.
  if (!canBeAnswered(request, app, null)) return Option.none()
  // No reviewer has checked the name of an app outside production: on our sign-in page it could imitate another app.
  const isReviewed = app.status === "production"
  return Option.some({ id: app.id, name: isReviewed ? app.name : null, logo: isReviewed ? app.logo : null })
}
