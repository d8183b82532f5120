import { type RecentMail, listRecentMail } from "@place-access/domain/mail"
import { expect, vi } from "vitest"
import type { World } from "./World.js"

/** The mails to the address `email` as their reader sees them, the newest first. */
export const mailTo = async (world: World, email: string): Promise<ReadonlyArray<RecentMail>> => {
  const letters = await world.run(listRecentMail(1_000, { portal: `${world.url}/portal`, service: world.url }))
  return letters.filter(({ to }) => to === email)
}

/**
 * Waits until the outbox has `count` mails with the subject `subject`, and returns the address in the newest of these
 * mails. Waiting is necessary: when a mail could show who has an account, the service first answers and then writes the
 * mail.
 */
export const mailedLink = async (world: World, email: string, subject: string, count = 1): Promise<string> => {
  const found = await vi.waitFor(
    async () => {
      const letters = (await mailTo(world, email)).filter((letter) => letter.subject === subject)
      expect(letters).toHaveLength(count)
      return letters
    },
    { timeout: 20_000 }
  )
  return /http:\/\/\S+/.exec(found[0]?.text ?? "")?.[0] ?? ""
}

/** The secret at the end of the address of a mailed link. */
export const tokenOf = (address: string): string => new URL(address).searchParams.get("token") ?? ""
