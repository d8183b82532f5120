import { type AccountStore, Session } from "@place-access/domain/accounts"
import { UserId, type Vault } from "@place-access/domain/shared"
import type { Simulation } from "@place-access/domain/testing"
import { Effect, Option } from "effect"

const LENGTH = 52

/**
 * The cookie of a browser in which this person is always signed in. The people of a simulation act for weeks, and
 * oracles count every sign-in. So their actions in pages use a session that no sign-in opened (decision simulation-3).
 */
export const cookieOf = ({ accounts }: Simulation.Registry, userId: string): string =>
  cookieOfNumber([...accounts.keys()].indexOf(userId))

const cookieOfNumber = (number: number): string => `browser${number}z`.replace("-", "x").padEnd(LENGTH, "0")

/**
 * Adds to the store a session for the cookie of each person. The guard treats this session like every other session.
 */
export const withBrowsers = (
  accounts: typeof AccountStore.Service,
  vault: typeof Vault.Vault.Service,
  registry: Simulation.Registry
): typeof AccountStore.Service => {
  const owners = new Map<string, UserId>()
  let known = 0
  const ownerOf = (hash: Vault.Hash): UserId | undefined => {
    if (known < registry.accounts.size) {
      ;[...registry.accounts.keys()].forEach((id, number) => {
        if (number >= known) owners.set(vault.sha256(cookieOfNumber(number)), UserId.make(id))
      })
      known = registry.accounts.size
    }
    return owners.get(hash)
  }
  return {
    ...accounts,
    findSession: (hash, now) => {
      const owner = ownerOf(hash)
      if (owner === undefined) return accounts.findSession(hash, now)
      return Effect.map(accounts.find(owner), (found) =>
        Option.map(found, (account) => ({ account, session: Session.open(hash, owner, now) }))
      )
    }
  }
}
