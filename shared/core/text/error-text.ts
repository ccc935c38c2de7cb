// The message of any thrown value.
//
//   errorText(new Error('no route to host')) // 'no route to host'
//   errorText('no route to host') // 'no route to host'

export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error))
