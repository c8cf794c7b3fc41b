package dev.cassidy.service;

import org.springframework.data.cassandra.repository.CassandraRepository;

interface Customers extends CassandraRepository<Customer, Integer> {}
