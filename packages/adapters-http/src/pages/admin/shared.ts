import type { Account } from "@place-access/domain/accounts"
import { type UserId, UserId as UserIdSchema } from "@place-access/domain/shared"
import { Html, html } from "../../html/Html.js"
import { texts } from "../../languages/index.js"
import { param } from "../kit/Params.js"
import { ADMIN } from "../review/shared.js"

export const ACCOUNTS = `${ADMIN}/accounts`
export const SERVICE = `${ADMIN}/service`
export const AUDIT = `${ADMIN}/audit-log`

export const accountPath = (id: UserId): string => `${ACCOUNTS}/${id}`

export const accountId = param("account", UserIdSchema, "account")

const words = texts.admin.tabs

type Tab = typeof ADMIN | typeof ACCOUNTS | typeof AUDIT | typeof SERVICE

/** The heading of a page for admins, and the tabs that lead to the other pages for admins. */
export const adminHead = (current: Tab, title: Html): Html => {
  const tab = (path: Tab, name: Html) =>
    html`<a href="${path}" ${path === current && new Html(' aria-current="page"')}>${name}</a>`
  return html`<h1>${title}</h1>
    <nav class="tabs" aria-label="${words.label}">
      ${tab(ADMIN, words.apps)}${tab(ACCOUNTS, words.accounts)}${tab(AUDIT, words.audit)}${tab(SERVICE, words.service)}
    </nav>`
}

/** Badges for the roles of an account, and a further badge if the account is suspended. */
export const badges = ({ roles, suspendedAt }: Pick<Account.Account, "roles" | "suspendedAt">): Html =>
  html`${
    roles.length === 0
      ? html`<span class="soft">${texts.admin.noRole}</span>`
      : roles.map((role) => html`<span class="badge">${texts.admin.roles[role]}</span> `)
  }${suspendedAt !== null && html` <span class="badge bad">${texts.admin.suspended}</span>`}`
