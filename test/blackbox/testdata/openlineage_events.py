"""Sends runs of two jobs with the OpenLineage client as it is published.

The client reads the server's address from OPENLINEAGE_URL, as in production.
The first job says its SQL, the second which column each column came from.
"""
import uuid
from datetime import datetime, timezone

from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import column_lineage_dataset, schema_dataset, sql_job

PRODUCER = "https://example.org/scheduler"
SHOP = "mysql://shop:3306"

client = OpenLineageClient()


def run(job, inputs, outputs):
    run_id = str(uuid.uuid4())
    for state in (RunState.START, RunState.COMPLETE):
        client.emit(
            RunEvent(
                eventType=state,
                eventTime=datetime.now(timezone.utc).isoformat(),
                run=Run(runId=run_id),
                job=job,
                inputs=inputs,
                outputs=outputs,
                producer=PRODUCER,
            )
        )


run(
    Job(
        namespace="scheduler",
        name="marts.top",
        facets={"sql": sql_job.SQLJobFacet(query="INSERT INTO mart.top (customer, total) SELECT customer, total FROM mart.daily WHERE total > 100")},
    ),
    [InputDataset(namespace=SHOP, name="mart.daily")],
    [OutputDataset(namespace=SHOP, name="mart.top")],
)


def column(field):
    source = column_lineage_dataset.InputField(
        namespace=SHOP,
        name="mart.top",
        field=field,
        transformations=[column_lineage_dataset.Transformation(type="DIRECT", subtype="IDENTITY")],
    )
    return column_lineage_dataset.Fields(inputFields=[source])


run(
    Job(namespace="scheduler", name="export.top"),
    [InputDataset(namespace=SHOP, name="mart.top")],
    [
        OutputDataset(
            namespace="s3://exports",
            name="top/daily",
            facets={
                "schema": schema_dataset.SchemaDatasetFacet(
                    fields=[
                        schema_dataset.SchemaDatasetFacetFields(name="who", type="string"),
                        schema_dataset.SchemaDatasetFacetFields(name="amount", type="decimal"),
                    ]
                ),
                "columnLineage": column_lineage_dataset.ColumnLineageDatasetFacet(
                    fields={"who": column("customer"), "amount": column("total")}
                ),
            },
        )
    ],
)
client.close()
