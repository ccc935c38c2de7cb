// Parses PromQL expressions, one a line, and answers for each a JSON line: the selectors in it, or the error.
package main

import (
	"bufio"
	"encoding/json"
	"os"

	"github.com/prometheus/prometheus/promql/parser"
)

type matcher struct {
	Name  string `json:"name"`
	Op    string `json:"op"`
	Value string `json:"value"`
}

type answer struct {
	Error     string      `json:"error,omitempty"`
	Selectors [][]matcher `json:"selectors"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	answers := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		answers.Encode(parsed(lines.Text()))
	}
}

func parsed(text string) answer {
	expression, err := parser.NewParser(parser.Options{}).ParseExpr(text)
	if err != nil {
		return answer{Error: err.Error()}
	}
	found := answer{Selectors: [][]matcher{}}
	for _, selector := range parser.ExtractSelectors(expression) {
		matchers := []matcher{}
		for _, one := range selector {
			matchers = append(matchers, matcher{one.Name, one.Type.String(), one.Value})
		}
		found.Selectors = append(found.Selectors, matchers)
	}
	return found
}
