// A real Chromium, driven by playwright-core. Only the types that tests use are written here, because its package is fetched when it is needed.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Test } from 'tap'
import { installedPackages } from './packages/packages.ts'

export type Page = {
  goto(url: string): Promise<unknown>
  url(): string
  content(): Promise<string>
  evaluate<T>(code: string): Promise<T>
  waitForURL(url: string): Promise<void>
  screenshot(options: { path: string; fullPage?: boolean }): Promise<unknown>
  on(event: 'console', listener: (message: { type(): string; text(): string }) => void): void
  on(event: 'pageerror', listener: (error: Error) => void): void
  close(): Promise<void>
  readonly keyboard: { press(key: string): Promise<void> }
}

type ContextOptions = {
  readonly viewport?: { readonly width: number; readonly height: number }
  readonly colorScheme?: 'light' | 'dark'
  readonly reducedMotion?: 'reduce'
  readonly javaScriptEnabled?: boolean
  readonly storageState?: unknown
}

type Context = {
  newPage(): Promise<Page>
  storageState(): Promise<unknown>
  setDefaultTimeout(milliseconds: number): void
  close(): Promise<void>
}

/** Long, because a machine that is busy with a bring-up answers slowly. */
const patienceMilliseconds = 180_000

export type Browser = { newContext(options?: ContextOptions): Promise<Context> }

type Launched = Browser & { close(): Promise<void> }
type Playwright = { readonly chromium: { launch(options: object): Promise<Launched> } }

/** The program of Debian's package, unless CHROMIUM names another. */
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium'

export const chromium = async (t: Test): Promise<{ browser: Browser; axe: string }> => {
  const require = createRequire(join(await installedPackages('browser'), 'package.json'))
  const playwright = require('playwright-core') as Playwright
  const browser = await playwright.chromium.launch({ executablePath, chromiumSandbox: false })
  t.teardown(() => browser.close())
  const patient: Browser = {
    newContext: async options => {
      const context = await browser.newContext(options)
      context.setDefaultTimeout(patienceMilliseconds)
      return context
    },
  }
  return { browser: patient, axe: readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8') }
}
