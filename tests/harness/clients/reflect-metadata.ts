// @peculiar/x509 needs Reflect.getMetadata at load time, for tsyringe's decorators. Its constructors have no parameters, so undefined is a
// valid answer.

const nothing = (): undefined => undefined

if (!('getMetadata' in Reflect)) {
  Object.assign(Reflect, { getMetadata: nothing, getOwnMetadata: nothing, defineMetadata: nothing })
}
