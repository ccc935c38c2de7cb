// @peculiar/x509 keeps its algorithms in a tsyringe container, whose decorators call Reflect.getMetadata for the parameters of
// constructors and do not load without it. None of those constructors has parameters, so undefined is the right answer.

const nothing = (): undefined => undefined

if (!('getMetadata' in Reflect)) {
  Object.assign(Reflect, { getMetadata: nothing, getOwnMetadata: nothing, defineMetadata: nothing })
}
