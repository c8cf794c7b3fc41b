package dev.cassidy.service;

import org.springframework.data.cassandra.repository.CassandraRepository;

interface Lines extends CassandraRepository<Line, LineKey> {}
