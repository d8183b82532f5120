import type { AuditEvent } from "@place-access/domain/audit"
import type { AppId, PurposeId } from "@place-access/domain/shared"
import { type Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { adminPath } from "../review/shared.js"

const words = texts.admin.said

/** The names of the apps and the keys of the purposes that the events on the page are about. */
export interface AuditedNames {
  readonly apps: ReadonlyMap<AppId, string>
  readonly purposes: ReadonlyMap<PurposeId, string>
}

/** Writes the event as a sentence about the account, for example that the account was created. */
export const said = (detail: AuditEvent.AuditDetail, { apps, purposes }: AuditedNames): Html => {
  switch (detail.kind) {
    case "account_made":
      return detail.roles.length === 0 ? words.made : words.madeAs(detail.roles)
    case "account_deleted":
      return words.deleted
    case "account_suspended":
      return words.suspended
    case "account_resumed":
      return words.resumed
    case "sign_in":
      return words.signedIn(detail.browser, detail.network)
    case "sign_in_failed":
      return words.signInFailed(detail.network)
    case "locked_out":
      return detail.scope === "account" ? words.accountClosed(detail.network) : words.networkClosed(detail.network)
    case "unlocked":
      return words.unlocked
    case "sessions_ended":
      return words.sessionsEnded(detail.count)
    case "password_changed":
      return detail.how === "link" ? words.passwordByLink : words.passwordChanged
    case "reset_link_made":
      return words.resetLink
    case "address_confirmed":
      return words.addressConfirmed
    case "address_changed":
      return words.addressChanged
    case "address_restored":
      return words.addressRestored
    case "name_changed":
      return words.nameChanged
    case "factor_added":
      return words.factorAdded[detail.factor]
    case "factor_removed":
      return words.factorRemoved[detail.factor]
    case "factor_removal_asked":
      return words.factorRemovalAsked
    case "factor_removal_stopped":
      return words.factorRemovalStopped
    case "recovery_code_used":
      return words.recoveryCodeUsed
    case "passkey_copied":
      return words.passkeyCopied
    case "role_given":
      return words.roleGiven(detail.role)
    case "role_taken":
      return words.roleTaken(detail.role)
    case "export_made":
      return words.exportMade
    case "export_fetched":
      return words.exportFetched
    case "secret_rotated":
      return words.secretRotated[detail.secret](app(detail, apps))
    case "secret_ended":
      return words.secretEnded[detail.secret](app(detail, apps))
    case "endpoint_added":
      return words.endpointAdded(app(detail, apps))
    case "endpoint_moved":
      return words.endpointMoved(app(detail, apps))
    case "review_decided":
      return detail.purposeId === null
        ? words.appDecided[detail.decision](app(detail, apps))
        : words.purposeDecided[detail.decision](
            html`<code>${purposes.get(detail.purposeId) ?? detail.purposeId}</code>`,
            app(detail, apps)
          )
    case "team_invited":
    case "team_invitation_withdrawn":
    case "team_invitation_declined":
    case "team_joined":
    case "team_role_changed":
    case "team_left":
    case "team_handed_over":
      return words.team[detail.kind](app(detail, apps), detail.role)
  }
}

/** The app as a link to its page. An app that no longer exists is shown by its id. */
const app = ({ appId }: { readonly appId: AppId }, apps: ReadonlyMap<AppId, string>): Html => {
  const name = apps.get(appId)
  return name === undefined ? html`<code>${appId}</code>` : html`<a href="${adminPath({ id: appId })}">${name}</a>`
}
