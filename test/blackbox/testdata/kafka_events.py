"""Produces one event to Kafka with kafka-python and its default partitioner.

Arguments: the brokers, the topic, the key, the type of the event. The data is
read from standard input.
"""
import sys

from kafka import KafkaProducer

brokers, topic, key, event_type = sys.argv[1:]
producer = KafkaProducer(bootstrap_servers=brokers.split(","), acks="all")
headers = {
    "ce_specversion": "1.0",
    "ce_id": "kafka-python-" + key,
    "ce_source": "kafka-python",
    "ce_type": event_type,
    "content-type": "application/json",
}
sent = producer.send(
    topic,
    key=key.encode(),
    value=sys.stdin.buffer.read(),
    headers=[(name, value.encode()) for name, value in headers.items()],
)
print(sent.get(timeout=30))
producer.close()
