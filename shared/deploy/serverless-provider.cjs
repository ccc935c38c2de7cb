// Teaches osls our provider, so that `npx osls print` checks serverless.yml offline. Our own check runs first, on the
// file and not on what osls made of it: osls fills in defaults, and does not name the keys and events that exist. Then
// osls checks with the parts of the same schema. Nothing is deployed from here; CommonJS because osls loads plugins so.
const { join } = require('node:path')
const { definitions } = require('../api/serverless.schema.json')

class EspalierProvider {
  static getProviderName() {
    return 'espalier'
  }

  constructor(serverless) {
    this.serverless = serverless
    serverless.setProvider('espalier', this)
    serverless.configSchemaHandler.defineProvider('espalier', {
      definitions,
      provider: without('name', definitions.provider),
      function: without('events', definitions.function),
      functionEvents: definitions.event.properties,
    })
  }

  /** osls calls this before it checks. Refusals become errors of its own kind, which it prints without a stack. */
  async asyncInit() {
    const { serviceDir, configurationFilename, classes } = this.serverless
    const { readLandscape } = await import('./landscape/landscape.ts')
    try {
      readLandscape(join(serviceDir, configurationFilename))
    } catch (error) {
      throw new classes.Error(error.message, 'INVALID_NON_SCHEMA_COMPLIANT_CONFIGURATION')
    }
  }
}

/** A copy, as osls adds to what it is given, without the property that osls declares itself. */
const without = (declared, { properties: { [declared]: _, ...properties }, required }) => ({
  properties,
  required: required.filter(name => name !== declared),
})

module.exports = EspalierProvider
