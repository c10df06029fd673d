package grammar
import ("bufio";"encoding/json";"os")
func init(){ f,_:=os.Open("/work/shared/sqlcases/cases.jsonl"); sc:=bufio.NewScanner(f); sc.Buffer(nil,1<<26)
 for sc.Scan(){ var c struct{Dialect,Sql string}; json.Unmarshal(sc.Bytes(),&c); if len(c.Sql)<3000 { accepted=append(accepted, struct{dialect,sql string}{c.Dialect,c.Sql}) } } }
