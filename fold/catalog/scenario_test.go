package catalog

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// scenario runs a script: each block of commands is followed by the refusals and by what it asks to see.
func scenario(t *testing.T, file string) {
	t.Helper()
	w := newWorld(t)
	for _, name := range []string{"A", "B", "C", "D"} {
		w.command(t, "dataset "+name)
	}
	datadriven.RunTest(t, filepath.Join("testdata", "scenarios", file), func(t *testing.T, d *datadriven.TestData) string { //nolint:thelper // the body of a test
		var out strings.Builder
		for line := range strings.Lines(d.Input) {
			if line = strings.TrimSpace(line); line != "" {
				out.WriteString(w.command(t, line))
			}
		}
		return out.String()
	})
}

func TestScenario01(t *testing.T) { scenario(t, "01_child_of_an_open_head") }
func TestScenario02(t *testing.T) { scenario(t, "02_abort_under_a_child") }
func TestScenario03(t *testing.T) { scenario(t, "03_child_of_an_old_transaction") }
func TestScenario04(t *testing.T) { scenario(t, "04_delete_a_middle_branch") }
func TestScenario05(t *testing.T) { scenario(t, "05_delete_a_root") }
func TestScenario06(t *testing.T) { scenario(t, "06_root_by_the_same_name") }
func TestScenario07(t *testing.T) { scenario(t, "07_sibling_as_fallback") }
func TestScenario08(t *testing.T) { scenario(t, "08_one_dataset_spoils_it") }
func TestScenario09(t *testing.T) { scenario(t, "09_input_on_the_fallback_only") }
func TestScenario10(t *testing.T) { scenario(t, "10_first_existing_fallback") }
func TestScenario11(t *testing.T) { scenario(t, "11_fallbacks_head_is_open") }
func TestScenario12(t *testing.T) { scenario(t, "12_no_branch_of_the_chain") }
func TestScenario13(t *testing.T) { scenario(t, "13_job_spec_on_the_fallback_only") }
func TestScenario14(t *testing.T) { scenario(t, "14_the_worked_example") }
func TestScenario15(t *testing.T) { scenario(t, "15_failure") }
func TestScenario16(t *testing.T) { scenario(t, "16_abort") }
func TestScenario17(t *testing.T) { scenario(t, "17_same_output_twice") }
func TestScenario18(t *testing.T) { scenario(t, "18_input_being_changed") }
func TestScenario19(t *testing.T) { scenario(t, "19_fresh_and_forced") }
func TestScenario20(t *testing.T) { scenario(t, "20_killed") }
func TestScenario21(t *testing.T) { scenario(t, "21_two_outputs") }
func TestScenario22(t *testing.T) { scenario(t, "22_plan_goes_stale") }
